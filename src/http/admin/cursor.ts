/** The cursor of paged lists of audit entries, as clients send it back. */
import { AppError } from "../../domain/system/errors.ts";
import type { AuditCursor } from "../../store/system/audit.ts";

export function writeCursor(place: AuditCursor | null): string | null {
  return place === null ? null : `${place.at}.${place.id}`;
}

/** @throws AppError `invalid`. */
export function readCursor(text: string | undefined): AuditCursor | null {
  if (text === undefined) return null;
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  if (at === undefined || id === undefined) {
    throw new AppError("invalid", "cursor must be the next_cursor of an earlier page.", { field: "cursor" });
  }
  return { at: Number(at), id };
}
