/** Every form of a sender's credential, and everything that resembles one. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  holds,
  joinHeaders,
  joinQuery,
  type Presented,
  proofPlaces,
} from "../../src/domain/articles/senders/credentials.ts";
import type { Credential } from "../../src/domain/articles/senders/dialect.ts";
import { readProofs } from "../../src/importers/senders/read-proofs.ts";

const NOW = Date.parse("2026-11-28T12:00:00.250Z");
const NOW_S = Math.floor(NOW / 1_000);
const MINUTE_MS = 60_000;

/** A request as it is sent: its headers in pairs, so that one may be sent twice. */
interface Sent {
  path?: string;
  search?: string;
  headers?: readonly [string, string][];
  body?: string | Buffer;
}

interface Form {
  name: string;
  credential: Credential;
  secret?: string;
  /** A request that holds with `secret`. */
  send: (secret: string, body: string) => Sent;
  /** The text that proves it, for forgers to change. */
  proof: (sent: Sent) => string;
}

const SECRET = "whsec_Zm9v9Qx7/+Lr2Tk5Q";
const OTHERS = "whsec_Zm9v9Qx7/+Lr2Tk6Q";
const BODY = String.raw`{"event":"publish","data":{"title":"Caf\u00e9 \/ tea","content":"<p>Oolong.<\/p>"}}`;

const hmac = (secret: string | Buffer, text: string | Buffer) =>
  createHmac("sha256", secret).update(text).digest("hex");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const firstHeader = ({ headers = [] }: Sent) => headers[0]?.[1] ?? "";

const timed = (unit: "s" | "ms" | "iso", at: (now: number) => string): Form => ({
  name: `hmac with a time in ${unit}`,
  credential: { by: "hmac", header: "X-Signature", prefix: "v1=", timestamp: { header: "X-Timestamp", unit } },
  send: (secret, body) => ({
    headers: [
      ["X-Signature", `v1=${hmac(secret, `${at(NOW)}.${body}`)}`],
      ["X-Timestamp", at(NOW)],
    ],
    body,
  }),
  proof: firstHeader,
});

const KEY = "6438e0a1b2c3d4e5f60718ab:00ffa1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e";

function sign(secret: string, { head = {}, claims = {} }: { head?: object; claims?: object } = {}): string {
  const [id, key = ""] = secret.split(":");
  const signed = [
    base64url({ alg: "HS256", typ: "JWT", kid: id, ...head }),
    base64url({ iat: NOW_S, exp: NOW_S + 300, aud: "/admin/", ...claims }),
  ].join(".");
  return `${signed}.${createHmac("sha256", Buffer.from(key, "hex")).update(signed).digest("base64url")}`;
}

const FORMS: readonly Form[] = [
  {
    name: "bearer",
    credential: { by: "bearer" },
    send: (secret, body) => ({ headers: [["Authorization", `Bearer ${secret}`]], body }),
    proof: firstHeader,
  },
  {
    name: "bearer with another scheme",
    credential: { by: "bearer", scheme: "Token" },
    send: (secret, body) => ({ headers: [["Authorization", `Token ${secret}`]], body }),
    proof: firstHeader,
  },
  {
    name: "bare",
    credential: { by: "bearer", scheme: null },
    send: (secret, body) => ({ headers: [["Authorization", secret]], body }),
    proof: firstHeader,
  },
  {
    name: "header",
    credential: { by: "header", name: "X-Secret" },
    send: (secret, body) => ({ headers: [["X-Secret", secret]], body }),
    proof: firstHeader,
  },
  {
    name: "basic",
    credential: { by: "basic" },
    send: (secret, body) => ({ headers: [["Authorization", `Basic ${base64(`:${secret}`)}`]], body }),
    proof: firstHeader,
  },
  {
    name: "path",
    credential: { by: "path" },
    send: (secret, body) => ({ path: `/${encodeURIComponent(secret)}`, body }),
    proof: ({ path = "" }) => path.slice(1),
  },
  {
    name: "query",
    credential: { by: "query", name: "key" },
    send: (secret, body) => ({ search: `?key=${encodeURIComponent(secret)}`, body }),
    proof: ({ search = "" }) => search.slice("?key=".length),
  },
  {
    name: "field",
    credential: { by: "field", at: "data.uuid" },
    send: (secret) => ({ body: JSON.stringify({ command: "publish", data: { uuid: secret, posts: [] } }) }),
    proof: ({ body = "" }) => (JSON.parse(String(body)) as { data: { uuid: string } }).data.uuid,
  },
  {
    name: "hmac",
    credential: { by: "hmac", header: "X-Signature" },
    send: (secret, body) => ({ headers: [["X-Signature", hmac(secret, body)]], body }),
    proof: firstHeader,
  },
  {
    name: "hmac in Authorization",
    credential: { by: "hmac", header: "Authorization", prefix: "sha256=" },
    send: (secret, body) => ({ headers: [["Authorization", `sha256=${hmac(secret, body)}`]], body }),
    proof: firstHeader,
  },
  timed("s", (now) => String(Math.floor(now / 1_000))),
  timed("ms", String),
  timed("iso", (now) => new Date(now).toISOString()),
  {
    name: "signed field",
    credential: { by: "signed-field", at: "meta.mac" },
    send: (secret) => {
      const signed = String.raw`{"data":{"title":"Caf\u00e9 \/ tea","mac":"mine"},"meta":{"event":"publish","status":"draft"}}`;
      return { body: signed.replace(/\}\}$/, `,"mac":"${hmac(secret, signed)}"}}`) };
    },
    proof: ({ body = "" }) => (JSON.parse(String(body)) as { meta: { mac: string } }).meta.mac,
  },
  {
    name: "jwt",
    credential: { by: "jwt", scheme: "Ghost", audience: "/admin/", maxAgeSeconds: 300 },
    secret: KEY,
    send: (secret, body) => ({ headers: [["Authorization", `Ghost ${sign(secret)}`]], body }),
    proof: firstHeader,
  },
];

function present(
  { path = "", search = "", headers = [], body = "" }: Sent,
  credentials: readonly Credential[],
): Presented {
  const bytes = Buffer.from(body);
  return {
    request: { method: "POST", path, query: joinQuery(search), headers: joinHeaders(headers.flat()) },
    body: bytes,
    proofs: readProofs(bytes.toString(), proofPlaces(credentials)),
  };
}

const accepts = (credential: Credential, secret: string, sent: Sent, now = NOW) =>
  holds([credential], secret, present(sent, [credential]), now);

describe("what holds", () => {
  for (const { name, credential, secret = SECRET, send } of FORMS) {
    test(name, () => {
      assert.ok(accepts(credential, secret, send(secret, BODY)));
    });
  }

  test("any of several alternatives", () => {
    const credentials = FORMS.filter(({ name }) => name !== "jwt").map(({ credential }) => credential);
    for (const { name, credential, send } of FORMS) {
      if (!credentials.includes(credential)) continue;
      const presented = present(send(SECRET, BODY), credentials);
      assert.ok(holds(credentials, SECRET, presented, NOW), name);
      assert.ok(!holds(credentials, OTHERS, presented, NOW), name);
    }
  });

  test("a scheme in any case, with any user in Basic", () => {
    assert.ok(accepts({ by: "bearer" }, SECRET, { headers: [["authorization", `bearer ${SECRET}`]] }));
    assert.ok(accepts({ by: "basic" }, SECRET, { headers: [["Authorization", `BASIC ${base64(`jo:${SECRET}`)}`]] }));
    const unpadded = base64(`any:${SECRET}`).replace(/=+$/, "");
    const withColon = base64(`jo:${SECRET}:x`);
    assert.ok(accepts({ by: "basic" }, `${SECRET}:x`, { headers: [["Authorization", `Basic ${withColon}`]] }));
    assert.ok(accepts({ by: "basic" }, SECRET, { headers: [["Authorization", `Basic ${unpadded}`]] }));
  });

  test("secrets beyond ASCII, as the bytes of UTF-8", () => {
    const secret = "Schlüssel–鍵";
    const sent = Buffer.from(secret).toString("latin1");
    assert.ok(accepts({ by: "header", name: "x-secret" }, secret, { headers: [["X-Secret", sent]] }));
    assert.ok(accepts({ by: "path" }, secret, { path: `/${encodeURIComponent(secret)}` }));
    assert.ok(accepts({ by: "field", at: "secret" }, secret, { body: String.raw`{"secret":"Schl\u00fcssel–\u9375"}` }));
  });

  test("a clock that differs by five minutes", () => {
    for (const { name, credential, secret = SECRET, send } of FORMS.filter((form) => form.name.includes("time"))) {
      const sent = send(secret, BODY);
      for (const [ms, isAccepted] of [
        [5 * MINUTE_MS - 999, true],
        [5 * MINUTE_MS + 999, false],
      ] as const) {
        assert.equal(accepts(credential, secret, sent, NOW + ms), isAccepted, `${name}, ${ms} ms later`);
        assert.equal(accepts(credential, secret, sent, NOW - ms), isAccepted, `${name}, ${ms} ms before`);
      }
    }
  });

  test("a token for several audiences; a clock of the sender that is ahead", () => {
    const { credential } = form("jwt");
    for (const claims of [{ aud: ["/other/", "/admin/"] }, { iat: NOW_S + 60, nbf: NOW_S + 60, exp: NOW_S + 360 }]) {
      assert.ok(accepts(credential, KEY, { headers: [["Authorization", `ghost ${sign(KEY, { claims })}`]] }));
    }
  });
});

test("no forged request is accepted", () => {
  let count = 0;
  const accepted: string[] = [];
  const refuse = ({ name, credential, secret = SECRET }: Form, why: string, sent: Sent, key = secret) => {
    count += 1;
    if (accepts(credential, key, sent)) accepted.push(`${name}: ${why}`);
  };
  for (const form of FORMS) {
    const { credential, secret = SECRET, send, proof } = form;
    const right = send(secret, BODY);
    for (const wrong of [...resembling(secret), OTHERS]) {
      const sent = send(wrong, BODY);
      if (!isDeepStrictEqual(sent, right)) refuse(form, `the secret ${JSON.stringify(wrong)}`, sent);
      refuse(form, `sent to another with the secret ${JSON.stringify(wrong)}`, right, wrong);
    }
    for (const changed of resembling(proof(right))) {
      refuse(form, `the proof ${JSON.stringify(changed)}`, replaceProof(right, proof(right), changed));
    }
    for (const other of FORMS) {
      if (other !== form) refuse(form, `sent as ${other.name}`, other.send(other.secret ?? SECRET, BODY));
    }
    for (const [why, sent] of repeated(right)) refuse(form, why, sent);
    if (credential.by === "hmac" || credential.by === "signed-field") {
      for (const body of changedBodies(String(right.body)))
        refuse(form, `the body ${body.toString()}`, { ...right, body });
    }
    for (const empty of ["", " ", "\t", ...(credential.by === "jwt" ? [":", "id:", ":00"] : [])])
      refuse(form, "an empty secret", send(empty, BODY), empty);
    refuse(form, "nothing", {});
  }
  const forged = [...forgedTimes(), ...forgedTokens(), ...forgedFields()];
  for (const form of FORMS) for (const [why, sent] of forged) refuse(form, why, sent);
  assert.deepEqual(accepted, []);
  const requests = count - forged.length * (FORMS.length - 1);
  assert.ok(requests >= 2_000, `${requests} requests`);
});

function form(name: string): Form {
  const found = FORMS.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
}

/** Each character changed, and what resembles the text: other cases, lengths, alphabets, encodings. */
function resembling(text: string): string[] {
  const shift = (by: number) =>
    text
      .split("")
      .map((character) => String.fromCharCode(character.charCodeAt(0) + by))
      .join("");
  const resembles = [
    ...text
      .split("")
      .map((_character, at) => text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)),
    "",
    text.slice(1),
    text.slice(0, -1),
    text.slice(0, 1),
    `${text}x`,
    `x${text}`,
    ` ${text}`,
    `${text} `,
    `${text}\t`,
    text + text,
    `${text},${text}`,
    text.toUpperCase(),
    text.split("").toReversed().join(""),
    // Full width; the same low byte; a combining, an invisible and a similar character.
    shift(0xfee0),
    shift(0x100),
    `${text}\u0301`,
    `\u{FEFF}${text}`,
    text.replace(/.{5}/, "$&\u200D"),
    text.replace(/[eaocp0]/, "\u0435"),
    encodeURIComponent(encodeURIComponent(text)),
    base64(text),
    Buffer.from(text).toString("hex"),
    JSON.stringify(text),
    "undefined",
    "null",
    "*",
    "•",
  ];
  return [...new Set(resembles)].filter((one) => one !== text);
}

function replaceProof(sent: Sent, proof: string, changed: string): Sent {
  const { path, search, headers, body } = sent;
  if (headers) return { ...sent, headers: headers.map(([name, value]) => [name, value === proof ? changed : value]) };
  if (path !== undefined) return { ...sent, path: path.replace(proof, () => changed) };
  if (search !== undefined) return { ...sent, search: search.replace(proof, () => changed) };
  return { body: String(body).replace(JSON.stringify(proof), () => JSON.stringify(changed)) };
}

/** Each header and parameter twice, and missing. */
function* repeated(sent: Sent): Generator<[string, Sent]> {
  const { headers = [], search } = sent;
  for (const [at, [name, value]] of headers.entries()) {
    for (const other of [value, "x", "", ` ${value}`]) {
      yield [`${name}, then ${other}`, { ...sent, headers: [...headers, [name.toUpperCase(), other]] }];
      yield [`${name} after ${other}`, { ...sent, headers: [[name.toLowerCase(), other], ...headers] }];
    }
    yield [`${name} joined`, { ...sent, headers: headers.with(at, [name, `${value}, ${value}`]) }];
    yield [`no ${name}`, { ...sent, headers: headers.toSpliced(at, 1) }];
    yield [`${name} by another name`, { ...sent, headers: headers.with(at, [`X-${name}`, value]) }];
  }
  if (search === undefined) return;
  for (const other of [search.slice(1), "key=x", "key="]) {
    yield ["doubled parameter", { ...sent, search: `${search}&${other}` }];
    yield ["doubled parameter", { ...sent, search: `?${other}&${search.slice(1)}` }];
  }
}

function changedBodies(body: string): (string | Buffer)[] {
  const bytes = Buffer.from(body);
  return [
    ...[...bytes].map((byte, at) => Buffer.from(bytes.with(at, byte ^ 1))),
    "",
    body.slice(1),
    body.slice(0, -1),
    `${body} `,
    ` ${body}`,
    `${body}\n`,
    `\u{FEFF}${body}`,
    body + body,
    body.toUpperCase(),
    JSON.stringify(JSON.parse(body)),
    JSON.stringify(JSON.parse(body), null, 2),
  ];
}

/** Signed, at times that are too old, too new or none. */
function* forgedTimes(): Generator<[string, Sent]> {
  for (const { name, credential } of FORMS) {
    if (credential.by !== "hmac" || credential.timestamp === undefined) continue;
    const { header } = credential.timestamp;
    const signed = (time: string, sentTime: string) => ({
      headers: [
        ["X-Signature", `v1=${hmac(SECRET, `${time}.${BODY}`)}`],
        [header, sentTime],
      ] as [string, string][],
      body: BODY,
    });
    for (const ms of [5.02 * MINUTE_MS, 6 * MINUTE_MS, 60 * MINUTE_MS, 10 * 365 * 24 * 60 * MINUTE_MS]) {
      for (const at of [NOW - ms, NOW + ms]) {
        for (const time of [String(Math.floor(at / 1_000)), String(at), new Date(at).toISOString()]) {
          yield [`${name}: ${time}`, signed(time, time)];
        }
      }
    }
    const iso = new Date(NOW).toISOString();
    const odd = ["", "0", "-1", "now", "NaN", "Infinity", "1e12", `+${NOW_S}`, `${NOW_S}.0`, `0x${NOW_S.toString(16)}`];
    odd.push(
      ` ${NOW_S}`,
      `${NOW_S}${NOW}`,
      `${NOW_S}n`,
      iso.slice(0, -1),
      iso.slice(0, 10),
      new Date(NOW).toUTCString(),
    );
    for (const time of odd) yield [`${name}: ${time}`, signed(time, time)];
    const rights = [String(NOW_S), String(NOW), iso];
    for (const time of rights) {
      yield [`${name}: the signature of another time than ${time}`, signed(String(NOW_S - 1), time)];
      yield [
        `${name}: ${time} unsigned`,
        {
          ...signed("", time),
          headers: [
            ["X-Signature", `v1=${hmac(SECRET, BODY)}`],
            [header, time],
          ],
        },
      ];
      yield [`${name}: no time`, { headers: [["X-Signature", `v1=${hmac(SECRET, `${time}.${BODY}`)}`]], body: BODY }];
      // The same bytes are signed, with the dot elsewhere.
      const [before, after] = [time.slice(0, 8), time.slice(9)] as const;
      yield [`${name}: the time ends early`, { ...signed(`${before}.${after}`, before), body: `${after}.${BODY}` }];
    }
  }
}

function* forgedTokens(): Generator<[string, Sent]> {
  const [id, hexKey = ""] = KEY.split(":");
  const key = Buffer.from(hexKey, "hex");
  const bearing = (token: string, scheme = "Ghost"): Sent => ({
    headers: [["Authorization", `${scheme} ${token}`]],
    body: BODY,
  });
  const token = sign(KEY);
  const [head, claims, signature] = token.split(".");
  for (const alg of [
    "none",
    "None",
    "NONE",
    "nOnE",
    "",
    null,
    "RS256",
    "HS384",
    "HS512",
    "ES256",
    "hs256",
    "HS256 ",
    ["HS256"],
    undefined,
  ]) {
    const forged = sign(KEY, { head: { alg } });
    yield [`alg ${String(alg)}`, bearing(forged)];
    yield [`alg ${String(alg)}, unsigned`, bearing(forged.replace(/[^.]+$/, ""))];
    yield [`alg ${String(alg)}, two parts`, bearing(forged.replace(/\.[^.]+$/, ""))];
    yield [`alg ${String(alg)}, with the signature of another`, bearing(forged.replace(/[^.]+$/, signature ?? ""))];
  }
  for (const [alg, hash] of [
    ["HS512", "sha512"],
    ["HS384", "sha384"],
    ["HS256", "sha1"],
  ] as const) {
    const signed = `${base64url({ alg, typ: "JWT", kid: id })}.${claims}`;
    yield [`${alg} by ${hash}`, bearing(`${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`)];
  }
  for (const wrongKey of [hexKey, KEY, "", id ?? "", "secret", Buffer.alloc(32)]) {
    yield [
      "another key",
      bearing(`${head}.${claims}.${createHmac("sha256", wrongKey).update(`${head}.${claims}`).digest("base64url")}`),
    ];
  }
  for (const kid of [undefined, "", null, `${id}x`, id?.toUpperCase(), KEY, [id], 0, "../../dev/null"]) {
    yield [`kid ${String(kid)}`, bearing(sign(KEY, { head: { kid } }))];
  }
  yield ["critical extension", bearing(sign(KEY, { head: { crit: ["exp"] } }))];
  const wrongClaims: Record<string, readonly unknown[]> = {
    aud: [
      undefined,
      null,
      "",
      "/",
      "admin",
      "/admin",
      "/admin/x",
      "/content/",
      ["/content/"],
      [],
      {},
      [["/admin/"]],
      true,
    ],
    exp: [undefined, null, NOW_S, NOW_S - 1, NOW_S - 300, 0, -1, String(NOW_S + 300), "x", {}, [NOW_S + 300], true],
    iat: [undefined, null, NOW_S - 301, NOW_S - 3_600, NOW_S + 302, 0, NOW, -1, String(NOW_S), "x", {}, [NOW_S], true],
    nbf: [NOW_S + 302, NOW, "x", {}],
  };
  for (const [claim, values] of Object.entries(wrongClaims)) {
    for (const value of values) yield [`${claim} ${String(value)}`, bearing(sign(KEY, { claims: { [claim]: value } }))];
  }
  const padded = `${head}.${claims}.${Buffer.from(signature ?? "", "base64url").toString("base64")}`;
  for (const odd of [
    `${token}.`,
    `.${token}`,
    `${token}.${signature}`,
    `${head}..${signature}`,
    `.${claims}.${signature}`,
    "..",
    padded,
    `"${token}"`,
  ]) {
    yield ["other parts", bearing(odd)];
  }
  for (const notObject of ["null", "[]", "1", "", "{", '"x"']) {
    const part = Buffer.from(notObject).toString("base64url");
    for (const signed of [`${head}.${part}`, `${part}.${claims}`]) {
      yield [notObject, bearing(`${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`)];
    }
  }
  for (const scheme of ["Bearer", "Token", "Ghost Ghost", "Ghost,", ""])
    yield [`scheme ${scheme}`, bearing(token, scheme)];
  yield ["no scheme", { headers: [["Authorization", token]], body: BODY }];
  yield ["in the query", { search: `?token=${token}`, body: BODY }];
}

/** Bodies whose field is doubled, elsewhere or no text. */
function* forgedFields(): Generator<[string, Sent]> {
  const text = JSON.stringify(SECRET);
  const bodies = [
    `{"data":{"uuid":${text},"uuid":"x"}}`,
    `{"data":{"uuid":"x","uuid":${text}}}`,
    `{"data":{"uuid":${text},"uuid":${text}}}`,
    String.raw`{"data":{"uuid":${text},"uu\u0069d":"x"}}`,
    `{"data":{"uuid":${text}},"data":{}}`,
    `{"data":{},"data":{"uuid":${text}}}`,
    String.raw`{"data":{"uuid":${text}},"d\u0061ta":{"uuid":"x"}}`,
    `{"data":{"uuid":[${text}]}}`,
    `{"data":{"uuid":{"uuid":${text}}}}`,
    `{"data":[{"uuid":${text}}]}`,
    `[{"data":{"uuid":${text}}}]`,
    `{"uuid":${text}}`,
    `{"data":{"data":{"uuid":${text}}}}`,
    `{"data.uuid":${text}}`,
    `{"data":"{\\"uuid\\":${text.replaceAll('"', '\\"')}}"}`,
    `{"data":{"UUID":${text}}}`,
    `{"data":{"uuid":${text}}`,
    `{"data":{"uuid":${text}`,
    `{"data":{"uuid":${text.slice(0, -1)}}}`,
    `{"data":{"uuid":${text.replaceAll('"', "'")}}}`,
    `{"data":{"uuid":${SECRET}}}`,
    `{"data":{uuid:${text}}}`,
    `{"data":{"uuid"${text}}}`,
    `{"__proto__":{"data":{"uuid":${text}}}}`,
    `{"data":{"__proto__":{"uuid":${text}}}}`,
    `data.uuid=${encodeURIComponent(SECRET)}`,
    `data[uuid]=${encodeURIComponent(SECRET)}`,
    "{",
    "null",
    '"',
    "\\",
    "[".repeat(100_000),
    `{"data":${'{"data":'.repeat(50_000)}`,
    ...["null", "true", "0", "{}", "[]", '""', '"\\ud800"'].map((value) => `{"data":{"uuid":${value}}}`),
  ];
  for (const body of bodies) yield [body.slice(0, 100), { body }];

  const signed = String.raw`{"data":{"title":"Tea"},"meta":{"event":"publish"}}`;
  const mac = hmac(SECRET, signed);
  const bodiesWithMac = [
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${mac}","mac":"${mac}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"x","mac":"${mac}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${mac}","m\\u0061c":"x"}}`,
    `{"meta":{"mac":"${mac}"},"data":{"title":"Tea"},"meta":{"event":"publish"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish"},"mac":"${mac}"}`,
    `{"mac":"${mac}","data":{"title":"Tea"},"meta":{"event":"publish"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":["${mac}"]}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${mac.toUpperCase()}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${hmac(OTHERS, signed)}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${hmac("", signed)}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":""}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":null}}`,
    `{"data":{"title":"Coffee"},"meta":{"event":"publish","mac":"${mac}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"delete","mac":"${mac}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${mac}"}} `,
    `{"data":{"title":"Tea"}, "meta":{"event":"publish","mac":"${mac}"}}`,
    `{"data":{"title":"Tea"},"meta":{"event":"publish","mac":"${mac}"},"more":1}`,
    signed,
  ];
  for (const body of bodiesWithMac) yield [body, { body }];
}

test("the secret is not in what a content process gets", () => {
  assert.deepEqual(
    proofPlaces([{ by: "field", at: "secret" }, { by: "signed-field", at: "meta.mac" }, { by: "bearer" }]),
    ["secret", "meta.mac"],
  );
});

const STORYCHIEF = join(import.meta.dirname, "../../../shared/corpora/generators/storychief.json");
const skip = existsSync(STORYCHIEF) ? false : "the corpus of senders is not beside this repository";

test("StoryChief's published vectors hold", { skip }, () => {
  const { samples } = JSON.parse(readFileSync(STORYCHIEF, "utf8")) as { samples: { key?: string; raw?: string }[] };
  const vectors = samples.filter(({ key }) => key !== undefined);
  assert.equal(vectors.length, 2);
  for (const [at, { key = "", raw = "" }] of vectors.entries()) {
    const credential: Credential = { by: "signed-field", at: at === 0 ? "meta.mac" : "mac" };
    assert.ok(accepts(credential, key, { body: raw }));
    for (const body of changedBodies(raw)) assert.ok(!accepts(credential, key, { body }), String(body));
  }
});
