/** The file of a request, on the disk for as long as it is needed. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { receiveFile, type ReceivedFile, TooLarge } from "../../src/http/admin/articles/upload.ts";

const MOST = 100_000;

let temporary: Folder;

before(async () => {
  temporary = await tempFolder();
  process.env["TMPDIR"] = temporary.path;
});
after(() => temporary[Symbol.asyncDispose]());

/** What becomes of a body; the answer is 200, or 413 with nothing left of the file. */
async function sent(headers: Record<string, string>, parts: readonly Buffer[], most = MOST) {
  const received: ReceivedFile[] = [];
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    try {
      received.push(await receiveFile(req, most, "split it"));
    } catch (error) {
      res.statusCode = error instanceof TooLarge ? error.statusCode : 500;
    }
    res.end();
  };
  const server = createServer((req, res) => void answer(req, res)).listen(0, "127.0.0.1");
  await once(server, "listening");
  // The port is known now.
  const { port } = server.address() as AddressInfo;
  const sending = request({ host: "127.0.0.1", port, method: "POST", headers, agent: false });
  for (const part of parts) sending.write(part);
  sending.end();
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "close");
  server.close();
  await once(server, "close");
  return { status: response.statusCode, file: received[0] };
}

test("a file is stored as it was sent, readable by nobody else, and deleted when it is removed", async () => {
  const parts = [Buffer.from("öne\n"), Buffer.alloc(MOST - 5, "x")];
  const { status, file } = await sent({}, parts);
  assert.equal(status, 200);
  assert.ok(file !== undefined);
  assert.deepEqual(await readFile(file.path), Buffer.concat(parts));
  assert.equal((await stat(file.path)).mode & 0o777, 0o600);
  await file.remove();
  assert.deepEqual(await readdir(temporary.path), []);
});

test("the memory of what was received is free at once, not after a collection of everything", async () => {
  const parts = Array<Buffer>(40).fill(Buffer.alloc(1_000_000, "x"));
  const before = process.memoryUsage().arrayBuffers;
  const { file } = await sent({}, parts, 40_000_000);
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 2_000_000, `${grown} bytes are left`);
  await file?.remove();
});

test("a file that is too large is refused, with or without a declared length, and leaves nothing behind", async () => {
  const parts = Array.from({ length: 20 }, () => Buffer.alloc(10_000));
  for (const headers of [{}, { "Content-Length": "200000" }]) {
    const { status } = await sent(headers, parts);
    assert.equal(status, 413);
    assert.deepEqual(await readdir(temporary.path), []);
  }
});

test(
  "a file for which the disk has only part of the room is refused, not cut off",
  { skip: process.platform === "linux" && process.getuid?.() === 0 ? false : "only root can mount a small disk" },
  async () => {
    const disk = temporary.at("disk");
    await mkdir(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]);
    process.env["TMPDIR"] = disk;
    try {
      const { status, file } = await sent({}, [Buffer.alloc(MOST - 1, "x")]);
      assert.deepEqual([status, file, await readdir(disk)], [500, undefined, []]);
    } finally {
      process.env["TMPDIR"] = temporary.path;
      execFileSync("umount", ["-l", disk]);
    }
  },
);
