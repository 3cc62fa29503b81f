/** A passkey in software: ES256, discoverable, says that it has verified its user. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type Json, record } from "../helpers/http.ts";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export class Authenticator {
  readonly id = randomBytes(16);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #userHandle = "";
  /** Increases with each use, which gives a copy of the key away. */
  counter = 0;
  isUserVerified = true;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  /** What `navigator.credentials.create` gives on a page of that origin. */
  create(options: Json, origin: string): Json {
    this.#userHandle = String(record(options["user"])["id"]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = this.#data(String(record(options["rp"])["id"]), HAS_CREDENTIAL);
    const authData = Buffer.concat([data, Buffer.alloc(16), length, this.id, this.#coseKey()]);
    return this.#answer({
      clientDataJSON: clientData("webauthn.create", options, origin).toString("base64url"),
      attestationObject: cborMap([
        [cborText("fmt"), cborText("none")],
        [cborText("attStmt"), cborMap([])],
        [cborText("authData"), cborBytes(authData)],
      ]).toString("base64url"),
      transports: ["internal"],
    });
  }

  /** What `navigator.credentials.get` gives on a page of that origin. */
  get(options: Json, origin: string): Json {
    this.counter++;
    const authenticatorData = this.#data(String(options["rpId"]), 0);
    const client = clientData("webauthn.get", options, origin);
    const signed = Buffer.concat([authenticatorData, sha256(client)]);
    return this.#answer({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: authenticatorData.toString("base64url"),
      signature: sign("sha256", signed, this.#privateKey).toString("base64url"),
      userHandle: this.#userHandle,
    });
  }

  #answer(response: Json): Json {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  #data(rpId: string, flags: number): Buffer {
    const data = Buffer.alloc(37);
    sha256(Buffer.from(rpId)).copy(data);
    data.writeUInt8(flags | USER_PRESENT | (this.isUserVerified ? USER_VERIFIED : 0), 32);
    data.writeUInt32BE(this.counter, 33);
    return data;
  }

  /** RFC 9052: EC2, ES256, P-256, x, y. */
  #coseKey(): Buffer {
    const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
    return cborMap([
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), cborBytes(Buffer.from(x, "base64url"))],
      [cborInt(-3), cborBytes(Buffer.from(y, "base64url"))],
    ]);
  }
}

function clientData(type: string, { challenge }: Json, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** RFC 8949: a major type with its number. */
function cborHead(major: number, number: number): Buffer {
  if (number < 24) return Buffer.from([(major << 5) | number]);
  if (number < 256) return Buffer.from([(major << 5) | 24, number]);
  return Buffer.from([(major << 5) | 25, number >> 8, number & 0xff]);
}

function cborInt(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
}

function cborMap(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
}
