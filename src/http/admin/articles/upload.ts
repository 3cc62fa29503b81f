/** An uploaded file, kept on this machine's disk while it is needed. */
import type { IncomingMessage } from "node:http";
import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../../domain/system/errors.ts";
import { temporaryPrefix } from "../../../domain/system/temporary-names.ts";

export interface ReceivedFile {
  path: string;
  remove(): Promise<void>;
}

export class TooLarge extends Error {
  readonly statusCode = 413;

  constructor(most: number, advice: string) {
    super(`The file is larger than ${Math.round(most / 1_000_000)} MB; ${advice}`);
  }
}

/** The caller removes the file. @throws TooLarge above `most` bytes, with `advice`; after an error nothing is left. */
export async function receiveFile(req: IncomingMessage, most: number, advice: string): Promise<ReceivedFile> {
  try {
    if (Number(req.headers["content-length"] ?? 0) > most) throw new TooLarge(most, advice);
    return await written(req, most, advice);
  } catch (error) {
    // Discards the rest, so that the client gets to read the response.
    req.resume();
    throw explainIncomplete(req, error, "The file did not arrive completely. Upload it again.");
  }
}

/** A client that leaves in the middle of its request is no failure of the service. Returns other errors unchanged. */
export function explainIncomplete(req: IncomingMessage, error: unknown, message: string): unknown {
  return !req.complete && req.destroyed ? new AppError("invalid", message, { cause: error }) : error;
}

/** Each write wakes another thread, which costs this one a tenth of a millisecond. */
const WRITTEN_AT_ONCE = 500_000;

async function written(req: IncomingMessage, most: number, advice: string): Promise<ReceivedFile> {
  const path = join(tmpdir(), temporaryPrefix("upload") + randomUUID().replaceAll("-", ""));
  const remove = () => rm(path, { force: true });
  // Other users of this machine must not read unpublished articles.
  const file = await open(path, "wx", 0o600);
  try {
    let length = 0;
    let chunks: Buffer[] = [];
    let unwritten = 0;
    const flush = async () => {
      const { bytesWritten } = unwritten === 0 ? { bytesWritten: 0 } : await file.writev(chunks);
      // A disk that becomes full takes a part of it without an error: the rest gets one.
      if (bytesWritten < unwritten) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
      for (const chunk of chunks) free(chunk);
      chunks = [];
      unwritten = 0;
    };
    // A destroyed request could no longer be answered.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Buffer;
      length += bytes.length;
      if (length > most) throw new TooLarge(most, advice);
      chunks.push(bytes);
      unwritten += bytes.length;
      if (unwritten >= WRITTEN_AT_ONCE) await flush();
    }
    await flush();
  } catch (error) {
    await file.close();
    await remove();
    throw error;
  }
  await file.close();
  return { path, remove };
}

/**
 * Gives its memory back at once. V8 would leave it, as garbage outside of its heap, until a collection of everything, which keeps
 * readers waiting for up to 70 ms of every ten megabytes. Not what it shares with others.
 */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
