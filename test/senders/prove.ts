import { createHmac } from "node:crypto";
import type { Credential } from "../../src/domain/articles/senders/dialect.ts";
import { toPhpJson } from "../../src/domain/articles/senders/reply.ts";

/** What a request needs beside its address; `below`: what the address ends with. */
export interface Proof {
  headers?: Record<string, string>;
  below?: string;
  body: string;
}

/** A body as its sender would send it. @param at the sender's clock. */
export function prove(credential: Credential, secret: string, given: object, at = Date.now()): Proof {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  const body = JSON.stringify(given);
  switch (credential.by) {
    case "bearer": {
      const { scheme = "Bearer" } = credential;
      return { headers: { Authorization: scheme === null ? secret : `${scheme} ${secret}` }, body };
    }
    case "header":
      return { headers: { [credential.name]: secret }, body };
    case "basic":
      return { headers: { Authorization: `Basic ${Buffer.from(`any:${secret}`).toString("base64")}` }, body };
    case "path":
      return { below: `/${encodeURIComponent(secret)}`, body };
    case "query":
      return { below: `?${credential.name}=${encodeURIComponent(secret)}`, body };
    case "field":
      return { body: JSON.stringify(withMember(given, credential.at.split("."), secret)) };
    case "hmac": {
      const { header, prefix = "", timestamp } = credential;
      if (timestamp === undefined) return { headers: { [header]: prefix + sign(body) }, body };
      const time = { s: String(Math.floor(at / 1_000)), ms: String(at), iso: new Date(at).toISOString() }[
        timestamp.unit
      ];
      return { headers: { [header]: prefix + sign(`${time}.${body}`), [timestamp.header]: time }, body };
    }
    case "signed-field": {
      const mac = sign(toPhpJson(given));
      return { body: toPhpJson(withMember(given, credential.at.split("."), mac)) };
    }
    default:
      throw new Error(`nothing is sent by ${credential.by}`);
  }
}

/** With the member as the last of its object. */
function withMember(given: object, [name = "", ...inner]: readonly string[], value: string): object {
  const members = given as Record<string, object | undefined>;
  return { ...members, [name]: inner.length === 0 ? value : withMember(members[name] ?? {}, inner, value) };
}
