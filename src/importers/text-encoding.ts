import { AppError } from "../domain/system/errors.ts";

const NOT_UTF8 = "It is not UTF-8 text. Save it as UTF-8 and import it again.";

/** Decodes a whole file: UTF-8 with or without a byte order mark, or UTF-16 with one. Rejects anything else. */
export function decodeText(bytes: Uint8Array): string {
  const decoder = new TextDecoder(detectEncoding(bytes), { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new AppError("invalid", NOT_UTF8, { cause: error });
  }
}

/** The same for a stream; characters that are split between two chunks are decoded correctly. */
export async function* decodeChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(detectEncoding(chunk), { fatal: true });
      const text = decoder.decode(chunk, { stream: true });
      if (text !== "") yield text;
    }
    const rest = decoder?.decode() ?? "";
    if (rest !== "") yield rest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AppError("invalid", NOT_UTF8, { cause: error });
  }
}

/** Decodes the head of a file for inspection only: invalid bytes become replacement characters. */
export function peekText(head: Uint8Array): string {
  return new TextDecoder(detectEncoding(head)).decode(head);
}

/** Determined by the byte order mark; for XML by its declaration, since old exports name a one-byte encoding there. */
function detectEncoding(head: Uint8Array): string {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const declared = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(
    Buffer.from(head.subarray(0, 200)).toString("latin1"),
  )?.[1];
  if (declared === undefined) return "utf-8";
  try {
    const { encoding } = new TextDecoder(declared);
    // The declaration was readable as single bytes, so it cannot be UTF-16 whatever it says.
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    throw new AppError("invalid", `Its encoding ${declared} is not supported. Save it as UTF-8 and import it again.`);
  }
}

/** Whether a file that does not begin as UTF-16 contains a NUL byte. */
export function looksBinary(head: Uint8Array): boolean {
  return !detectEncoding(head).startsWith("utf-16") && head.includes(0);
}
