/** What passes between a process and its child processes and threads (child.ts, child-loop.ts). */
import { AppError, type ErrorCode } from "../domain/system/errors.ts";

/** `call` numbers what is answered; 0 is not. */
export type ToChild = { call: number; name: string; input: unknown } | "stop";

export type FromChild =
  | "ready"
  | { call: number; part: unknown }
  | { call: number; result: unknown }
  | { call: number; error: PackedError }
  | { notice: unknown }
  | { message: string; error: PackedError };

/** An error as a message: a structured clone loses its class and its properties, such as the code that says that the disk is full. */
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
