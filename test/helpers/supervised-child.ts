/** What src/process/child.test.ts runs as a process and as a thread. */
import { getCompileCacheDir } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../src/domain/system/errors.ts";
import { answerParent, Moved, notifyParent, reportError } from "../../src/process/child-loop.ts";

const held: Buffer[] = [];

const calls = {
  add([a, b]: [number, number]): number {
    return a + b;
  },
  identify: () => process.pid,
  getCompileCache: () => getCompileCacheDir(),
  count(to: number, send: (number: number) => void): string {
    for (let number = 1; number <= to; number++) send(number);
    return "done";
  },
  refuse(field: string): never {
    throw new AppError("invalid", "That is not allowed.", { field, cause: new Error("the cause") });
  },
  spin(ms: number): void {
    const until = performance.now() + ms;
    while (performance.now() < until);
  },
  grow(bytes: number): Promise<void> {
    held.push(Buffer.alloc(bytes, 1));
    return sleep(600_000);
  },
  move: (text: string) => {
    const bytes = new Uint8Array(Buffer.from(text));
    return new Moved({ bytes }, [bytes.buffer]);
  },
  measure: ({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) => bytes.length,
  fail: () => process.nextTick(() => Promise.reject(new Error("a bug"))),
  tell(notice: string): void {
    notifyParent(notice);
    reportError(new Error(notice), "reported");
  },
  reject: () => Promise.reject(new Error("unanswered")),
};
export type TestCalls = typeof calls;

answerParent(calls, { onStop: async () => notifyParent("stopping") });
