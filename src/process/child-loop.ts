/** The loop of a child process or thread, which does what its parent asks (child.ts), and their messages. */
import { parentPort, type Transferable } from "node:worker_threads";
import { AppError, type ErrorCode } from "../domain/system/errors.ts";

/** What a child does, by name. `send` passes on a part of the result before the rest. */
export type Calls = Record<string, (input: never, send: (part: unknown) => void) => unknown>;

/** A value whose memory goes to the other thread with it. Only threads can do so. */
export class Moved<T> {
  readonly value: T;
  readonly memory: ArrayBuffer[];

  constructor(value: T, memory: ArrayBuffer[]) {
    this.value = value;
    this.memory = memory;
  }
}

function post(message: FromChild, memory: Transferable[] = []): void {
  if (parentPort === null) process.send?.(message);
  else parentPort.postMessage(message, memory);
}

/** Tells the parent something that it has not asked for. */
export function notifyParent(notice: unknown): void {
  post({ notice });
}

/** Has the parent log an error. */
export function reportError(error: unknown, message: string): void {
  post({ message, error: packError(error) });
}

interface LoopOptions {
  onCall?: () => void;
  /** Called before each reply, an error or not. */
  onReply?: () => void;
  /** Ends what runs. The thread ends afterwards. */
  onStop?: () => Promise<void>;
}

export function answerParent(calls: Calls, { onCall, onReply, onStop }: LoopOptions = {}): void {
  const answer = async ({ call, name, input }: Exclude<ToChild, "stop">) => {
    onCall?.();
    try {
      // The parent's type is made of these calls.
      const result = await calls[name]?.(input as never, (part: unknown) => post({ call, part }));
      onReply?.();
      if (call === 0) return;
      if (result instanceof Moved) post({ call, result: result.value }, result.memory);
      else post({ call, result });
    } catch (error) {
      onReply?.();
      if (call === 0) reportError(error, `"${name}" failed`);
      else post({ call, error: packError(error) });
    }
  };
  const stop = async () => {
    try {
      await onStop?.();
    } catch (error) {
      reportError(error, "a thread did not stop cleanly");
    }
    parentPort?.close();
  };
  (parentPort ?? process).on("message", (message: ToChild) => void (message === "stop" ? stop() : answer(message)));
  post("ready");
}

/** `call` numbers what is answered; 0 is not. */
export type ToChild = { call: number; name: string; input: unknown } | "stop";

export type FromChild =
  | "ready"
  | { call: number; part: unknown }
  | { call: number; result: unknown }
  | { call: number; error: PackedError }
  | { notice: unknown }
  | { message: string; error: PackedError };

/** An error as a message: a clone loses class and properties, such as the code of a full disk. */
export interface PackedError {
  name: string;
  message: string;
  stack: string | undefined;
  /** `code`, `errcode` and others. */
  properties: Record<string, string | number | boolean>;
  isAppError: boolean;
  cause: PackedError | null;
}

/** Longer chains of causes are cut. */
const MAX_CAUSES = 5;

export function packError(error: unknown, depth = 0): PackedError {
  if (!(error instanceof Error)) return packError(new Error(String(error)), depth);
  const { name, message, stack, cause } = error;
  const properties: PackedError["properties"] = {};
  for (const [key, value] of Object.entries(error)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") properties[key] = value;
  }
  const hasCause = cause !== undefined && cause !== null && depth < MAX_CAUSES;
  return {
    name,
    message,
    stack,
    properties,
    isAppError: error instanceof AppError,
    cause: hasCause ? packError(cause, depth + 1) : null,
  };
}

export function unpackError({ name, message, stack, properties, isAppError, cause }: PackedError): Error {
  const options = cause === null ? {} : { cause: unpackError(cause) };
  const error = isAppError
    ? // `packError` read the code from an AppError.
      new AppError(properties["code"] as ErrorCode, message, options)
    : new Error(message, options);
  return Object.assign(error, properties, { name, stack });
}
