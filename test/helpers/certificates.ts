/** Creates X.509 certificates with any dates and names, without network or external programs. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface Certificate {
  /** PEM. */
  cert: string;
  /** PEM. */
  key: string;
}

export interface CertificateOptions {
  /** DNS names and IPv4 addresses; absent: only the common name. */
  hosts?: string[];
  /** The common name. */
  name?: string;
  issuer?: Authority;
  /** Validity in days from now; negative: it has expired. */
  days?: number;
}

/** Signs certificates; its own `cert` is the private CA. */
export interface Authority extends Certificate {
  name: string;
  keys: { publicKey: KeyObject; privateKey: KeyObject };
}

export function makeAuthority(name: string): Authority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const basicConstraints = extension([0x55, 0x1d, 0x13], der(0x30, der(0x01, Buffer.of(0xff))));
  return { ...certify(name, name, keys, keys.privateKey, 30, basicConstraints), name, keys };
}

/** Makes a certificate, self-signed unless there is an issuer. */
export function makeCertificate({
  hosts = ["localhost"],
  name = "receiver",
  issuer,
  days = 30,
}: CertificateOptions = {}): Certificate {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host)),
  );
  const alternatives = extension([0x55, 0x1d, 0x11], der(0x30, ...names));
  return certify(
    name,
    issuer?.name ?? name,
    keys,
    issuer?.keys.privateKey ?? keys.privateKey,
    days,
    hosts.length === 0 ? Buffer.alloc(0) : alternatives,
  );
}

function certify(
  subject: string,
  issuer: string,
  { publicKey, privateKey }: Authority["keys"],
  signer: KeyObject,
  days: number,
  extensions: Buffer,
): Certificate {
  const now = Date.now();
  const unsigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1, now & 0x7f, (now >> 8) & 0x7f, (now >> 16) & 0x7f)),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    der(0x30, utcTime(now - 60 * DAY_MS), utcTime(now + days * DAY_MS)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    extensions.length === 0 ? extensions : der(0xa3, der(0x30, extensions)),
  );
  const signature = der(0x03, Buffer.of(0), sign("sha256", unsigned, signer));
  const base64 = der(0x30, unsigned, ECDSA_WITH_SHA256, signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = der(0x30, der(0x06, Buffer.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)));

function extension(id: number[], value: Buffer): Buffer {
  return der(0x30, der(0x06, Buffer.from(id)), der(0x04, value));
}

function distinguishedName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, der(0x06, Buffer.of(0x55, 0x04, 0x03)), der(0x0c, Buffer.from(name)))));
}

function utcTime(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}
