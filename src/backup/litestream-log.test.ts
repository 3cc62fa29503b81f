import assert from "node:assert/strict";
import { test } from "node:test";
import { explainFailure, parseLine } from "./litestream-log.ts";

const FOLDER = { kind: "folder", path: "/mnt/copies", isShared: true } as const;
const BUCKET = {
  kind: "bucket",
  endpoint: "https://s3.example.com",
  region: "us-east-1",
  bucket: "copies",
  prefix: "of/",
  accessKeyId: "AKID",
  secretAccessKey: "secret",
} as const;

test("a line says up to where the log is copied", () => {
  const line = `{"level":"INFO","msg":"wal segment written","replica":"s3","position":"f25d00af538b8b5d/00000002:4152","elapsed":"1ms","sz":8240}`;
  const position = { generation: "f25d00af538b8b5d", index: 2, offset: 12_392 };
  assert.deepEqual(parseLine(line), { kind: "copied", position });
});

test("a failure is one line, and what is no line of its logger is kept", () => {
  assert.deepEqual(parseLine(`{"level":"ERROR","msg":"monitor error","error":"NoSuchBucket:\\n\\tstatus code: 404"}`), {
    kind: "failure",
    text: "monitor error: NoSuchBucket: status code: 404",
  });
  assert.deepEqual(parseLine("panic: out of memory"), { kind: "text", text: "panic: out of memory" });
  assert.deepEqual(parseLine(`{"level":"INFO","msg":"litestream","version":"v0.3.13"}`), { kind: "other" });
});

test("an operator reads what to do", () => {
  const cases = [
    [
      FOLDER,
      "open /mnt/copies/database/x: no space left on device",
      /^The disk of \/mnt\/copies is full: free some space\.$/,
    ],
    [
      FOLDER,
      "mkdir /mnt/copies/database: permission denied",
      /cannot be written: give the service's user the right to/,
    ],
    [FOLDER, "mkdir /mnt/copies/database: read-only file system", /mounted read-only/],
    [FOLDER, "write /mnt/copies/database/x: input/output error", /check its disk or its mount/],
    [FOLDER, "mkdir /mnt/copies: not a directory", /^\/mnt\/copies is no folder: check ROSTRUM_BACKUP_URL\.$/],
    [FOLDER, "something else", /^Litestream cannot copy to \/mnt\/copies \(something else\)\.$/],
    [
      BUCKET,
      "NoSuchBucket: status code: 404",
      /^There is no bucket "copies" at https:\/\/s3\.example\.com: check its name\.$/,
    ],
    [
      BUCKET,
      "SignatureDoesNotMatch: status code: 403",
      /refuses the access key \(SignatureDoesNotMatch\): check ROSTRUM_S3_ACC/,
    ],
    [BUCKET, "InvalidAccessKeyId: status code: 403", /refuses the access key \(InvalidAccessKeyId\)/],
    [
      BUCKET,
      "AccessDenied: Access Denied status code: 403",
      /may not list, read, write and delete below s3:\/\/copies\/of\//,
    ],
    [BUCKET, "RequestTimeTooSkewed: status code: 403", /refuses this machine's clock, which is wrong: set it with NTP/],
    [
      BUCKET,
      'monitor error: RequestError: send request failed caused by: Get "http://x/y?z": dial tcp: connection refused',
      /cannot be reached now \(dial tcp: connection refused\)/,
    ],
    [BUCKET, "InternalError: status code: 503", /cannot be reached now/],
    [BUCKET, "something else", /^The bucket "copies" cannot be used \(something else\)\.$/],
  ] as const;
  for (const [place, text, sentence] of cases) assert.match(explainFailure(text, place), sentence);
});
