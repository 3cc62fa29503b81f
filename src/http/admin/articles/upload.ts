/** A file that a request brings, on this machine's disk for as long as it is needed. */
import type { IncomingMessage } from "node:http";
import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ReceivedFile {
  path: string;
  remove(): Promise<void>;
}

/** 413. */
export class TooLarge extends Error {
  readonly statusCode = 413;

  constructor(most: number) {
    super(`The file is larger than ${Math.round(most / 1_000_000)} MB; split it, or import it on the command line`);
  }
}

/**
 * Resolves when all of it has come. The caller removes it.
 *
 * @param most bytes.
 * @throws TooLarge; whatever breaks the connection. Then nothing is left of it.
 */
export async function receiveFile(req: IncomingMessage, most: number): Promise<ReceivedFile> {
  try {
    if (Number(req.headers["content-length"] ?? 0) > most) throw new TooLarge(most);
    return await written(req, most);
  } catch (error) {
    // The rest is thrown away, so that the sender comes to read the answer.
    req.resume();
    throw error;
  }
}

async function written(req: IncomingMessage, most: number): Promise<ReceivedFile> {
  const path = join(tmpdir(), `rostrum-upload-${randomUUID()}`);
  const remove = () => rm(path, { force: true });
  // Nobody else on the machine may read what is not published yet.
  const file = await open(path, "wx", 0o600);
  try {
    let length = 0;
    // A request that is destroyed could not be answered any more.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      const bytes = chunk as Buffer;
      length += bytes.length;
      if (length > most) throw new TooLarge(most);
      await file.writeFile(bytes);
    }
  } catch (error) {
    await file.close();
    await remove();
    throw error;
  }
  await file.close();
  return { path, remove };
}
