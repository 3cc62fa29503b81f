import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../domain/system/errors.ts";
import { errorReply } from "./errors.ts";

test("an error that may pass says after which time, and has a code that clients can rely on", () => {
  const replies = (["busy", "unavailable", "service_unavailable"] as const).map((code) =>
    errorReply(new AppError(code, "Try again."), "r"),
  );
  assert.deepEqual(
    replies.map(({ status, headers, code }) => [status, headers["Retry-After"], code]),
    [
      [429, "5", "busy"],
      [503, "1", "database_unavailable"],
      [503, "5", "service_unavailable"],
    ],
  );
});

test("a full disk is no failure of the service, and nothing that passes in a second", () => {
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  for (const error of [full, new AppError("unavailable", "The disk of /data/rostrum.db is full.", { cause: full })]) {
    const { status, headers, body } = errorReply(error, "r");
    assert.deepEqual(
      [status, headers["Retry-After"], body["message"]],
      [503, "60", "The service's disk is full; try again when its operator has made room."],
    );
  }
});
