/** Writes and reads tar archives (POSIX ustar) of plain files. Nothing but plain files is ever read. */
import { AppError } from "../../../domain/system/errors.ts";

export const TAR_BLOCK = 512;
const MAGIC_AT = 257;
const CHECKSUM_AT = 148;
/** What eleven octal digits can say. */
const MAX_FILE_BYTES = 8 ** 11 - 1;

/** Whether the bytes, at least 512, begin an archive. */
export function isTar(bytes: Buffer): boolean {
  return bytes.toString("latin1", MAGIC_AT, MAGIC_AT + 5) === "ustar";
}

/** What precedes a file in the archive. `name` has at most 100 bytes. */
export function tarHeader(name: string, size: number): Buffer {
  if (size > MAX_FILE_BYTES) throw new AppError("invalid", `${name} is too large for an archive.`);
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(name, 0, "latin1");
  header.write("0000600\0" + "0000000\0".repeat(2), 100, "latin1");
  header.write(`${size.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0`, 124, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\u000000", MAGIC_AT, "latin1");
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, CHECKSUM_AT, "latin1");
  return header;
}

/** What follows a file of this size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}

/** What ends an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

export interface TarEntry {
  name: string;
  size: number;
  /** To be read to its end before the next entry. */
  content: AsyncIterable<Buffer>;
}

/** The files of an archive. @throws AppError `invalid` for anything but plain files, and if it is cut off. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const input = new Input(chunks);
  for (;;) {
    const header = Buffer.concat(await Array.fromAsync(input.take(TAR_BLOCK)));
    if (header.every((byte) => byte === 0)) return;
    if (!isTar(header) || checksum(header) !== readOctal(header, CHECKSUM_AT, 8)) throw broken();
    const name = readText(header, 0, 100);
    const type = readText(header, 156, 1);
    const prefix = readText(header, 345, 155);
    if ((type !== "0" && type !== "") || prefix !== "") throw foreign(name);
    const size = readOctal(header, 124, 12);
    const content = input.take(size);
    yield { name, size, content };
    for await (const _left of content);
    for await (const _padding of input.take((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK));
  }
}

/** For an entry that no export of ours contains. */
export function foreign(name: string): AppError {
  return new AppError(
    "invalid",
    `The archive contains ${JSON.stringify(name.slice(0, 100))}, which does not belong there. Nothing was imported: only archives that \`rostrum export --with-assets\` wrote can be.`,
  );
}

function broken(): AppError {
  return new AppError("invalid", "The archive is damaged or incomplete. Nothing was imported: export it again.");
}

/** Sum of all bytes, those of the checksum itself as spaces. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < TAR_BLOCK; at++) {
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + 8 ? 32 : header.readUInt8(at);
  }
  return sum;
}

function readText(header: Buffer, at: number, length: number): string {
  const [text = ""] = header.toString("latin1", at, at + length).split("\0", 1);
  return text;
}

function readOctal(header: Buffer, at: number, length: number): number {
  const text = readText(header, at, length).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw broken();
  return Number.parseInt(text, 8);
}

class Input {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes, as many. @throws AppError `invalid` if there are fewer. */
  async *take(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) throw broken();
        this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length) as Buffer<ArrayBuffer>;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
