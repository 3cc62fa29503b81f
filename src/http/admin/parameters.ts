/** Parameters that several areas take: times, and the cursor of paged lists of audit entries. */
import { AppError } from "../../domain/system/errors.ts";
import { parseIsoTime } from "../../domain/system/time.ts";
import type { AuditCursor } from "../../store/system/audit.ts";

export function writeCursor(place: AuditCursor | null): string | null {
  return place === null ? null : `${place.at}.${place.id}`;
}

/** @throws AppError `invalid`. */
export function readCursor(text: string | undefined, param = "cursor"): AuditCursor | null {
  if (text === undefined) return null;
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  if (at === undefined || id === undefined) {
    throw new AppError("invalid", `${param} must be the next_${param} of an earlier page.`, { field: param });
  }
  return { at: Number(at), id };
}

/** Parses a time whose form a schema has checked; the date may still not exist. @throws AppError `invalid`. */
export function parseTimeParam(param: string, text: string): number {
  const at = parseIsoTime(text);
  if (at !== null) return at;
  throw new AppError("invalid", `${param} must be an ISO 8601 time, for example 2026-01-31T09:30:00.000Z.`, {
    field: param,
  });
}
