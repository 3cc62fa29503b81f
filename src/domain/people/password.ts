/** Argon2id with OWASP's parameters in a PHC string: who signs in with an older hash gets a new one. */
import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type FindCommon, isCommon, normalisePassword, normaliseForList } from "./common-passwords.ts";
import { AppError } from "../system/errors.ts";

export interface HashCost {
  memoryKib: number;
  passes: number;
  lanes: number;
}

/** 19 MiB and about 40 ms of one core. */
export const HASH_COST: HashCost = { memoryKib: 19_456, passes: 2, lanes: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const SHORTEST = 10;
const LONGEST = 1_000;
const FEWEST_DIFFERENT = 4;

const derive = promisify(argon2);

/** `email` is the account's own. @throws AppError `invalid` with advice. */
export async function checkPassword(password: string, email: string, findCommon: FindCommon): Promise<void> {
  const characters = Array.from(normalisePassword(password));
  if (characters.length < SHORTEST) refuse(`A password has at least ${SHORTEST} characters; a few words are best.`);
  if (characters.length > LONGEST) refuse(`A password has at most ${LONGEST} characters.`);
  const own = [email, email.split("@", 1)[0] ?? ""];
  if (own.includes(normaliseForList(password))) refuse("The password must not be the e-mail address; choose another.");
  if (new Set(characters).size < FEWEST_DIFFERENT || (await isCommon(password, own, findCommon))) {
    refuse("This password is easy to guess; choose another. A few words are best.");
  }
}

function refuse(sentence: string): never {
  throw new AppError("invalid", sentence, { field: "password" });
}

/** `randomBytes` must be cryptographically secure. @returns a PHC string. */
export async function hashPassword(
  password: string,
  randomBytes: (size: number) => Buffer,
  cost: HashCost = HASH_COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return phc(cost, salt, await compute(password, salt, cost, HASH_BYTES));
}

/** A null hash takes the same time and never matches: the timing does not reveal which accounts exist. */
export async function verifyPassword(password: string, hash: string | null, current = HASH_COST): Promise<boolean> {
  const parsed = hash === null ? undefined : parse(hash);
  const { cost, salt, bytes } = parsed ?? {
    cost: current,
    salt: Buffer.alloc(SALT_BYTES),
    bytes: Buffer.alloc(HASH_BYTES),
  };
  const isEqual = timingSafeEqual(await compute(password, salt, cost, bytes.length), bytes);
  return parsed !== undefined && isEqual;
}

export function isOutdated(hash: string, current: HashCost = HASH_COST): boolean {
  const cost = parse(hash)?.cost;
  return cost?.memoryKib !== current.memoryKib || cost.passes !== current.passes || cost.lanes !== current.lanes;
}

function compute(password: string, salt: Buffer, cost: HashCost, tagLength: number): Promise<Buffer> {
  return derive("argon2id", {
    message: normalisePassword(password),
    nonce: salt,
    memory: cost.memoryKib,
    passes: cost.passes,
    parallelism: cost.lanes,
    tagLength,
  });
}

function phc({ memoryKib, passes, lanes }: HashCost, salt: Buffer, bytes: Buffer): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(bytes)}`;
}

function parse(text: string): { cost: HashCost; salt: Buffer; bytes: Buffer } | undefined {
  const [, m, t, p, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  return {
    cost: { memoryKib: Number(m), passes: Number(t), lanes: Number(p) },
    salt: Buffer.from(salt, "base64"),
    bytes: Buffer.from(hash, "base64"),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
