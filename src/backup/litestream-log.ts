/** What Litestream's lines say. */
import type { FilePlace } from "../process/settings/file-places.ts";
import { type LogPosition, parsePosition } from "./copy-lag.ts";

/** A line, as far as the service goes by it. */
export type LitestreamLine =
  | { kind: "copied"; position: LogPosition }
  /** A copy of the whole database, which may take long. */
  | { kind: "snapshot-begins" }
  | { kind: "snapshot"; bytes: number; elapsed: string }
  | { kind: "generation"; reason: string }
  | { kind: "failure"; text: string }
  /** Not by its logger, as when it ends by a panic. */
  | { kind: "text"; text: string }
  | { kind: "other" };

const MAX_TEXT = 500;

export function parseLine(line: string): LitestreamLine {
  const fields = parseFields(line);
  if (fields === undefined) return { kind: "text", text: line.slice(0, MAX_TEXT) };
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === "string" ? value : "";
  };
  if (fields["level"] === "ERROR") {
    return { kind: "failure", text: `${text("msg")}: ${text("error")}`.replaceAll(/\s+/g, " ").slice(0, MAX_TEXT) };
  }
  switch (fields["msg"]) {
    case "wal segment written": {
      const begin = parsePosition(text("position"));
      if (begin === undefined) return { kind: "other" };
      return { kind: "copied", position: { ...begin, offset: begin.offset + Number(fields["sz"]) } };
    }
    case "write snapshot":
      return { kind: "snapshot-begins" };
    case "snapshot written":
      return { kind: "snapshot", bytes: Number(fields["sz"]), elapsed: text("elapsed") };
    case "sync: new generation":
      return { kind: "generation", reason: text("reason") };
    default:
      return { kind: "other" };
  }
}

function parseFields(line: string): Record<string, unknown> | undefined {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What an operator can do about a failure, in a sentence. */
export function explainFailure(text: string, place: FilePlace): string {
  return place.kind === "folder" ? explainFolder(text, place.path) : explainBucket(text, place);
}

function explainFolder(text: string, path: string): string {
  if (/no space left on device|disk quota exceeded/i.test(text)) return `The disk of ${path} is full: free some space.`;
  if (/permission denied|operation not permitted/i.test(text)) {
    return `${path} cannot be written: give the service's user the right to.`;
  }
  if (/not a directory/i.test(text)) return `${path} is no folder: check ROSTRUM_BACKUP_URL.`;
  if (/read-only file system/i.test(text)) return `${path} is on a disk that is mounted read-only.`;
  if (/i(?:nput)?\/o(?:utput)? error|stale|not connected|no such device/i.test(text)) {
    return `${path} cannot be read or written: check its disk or its mount.`;
  }
  return `Litestream cannot copy to ${path} (${text}).`;
}

/** Without the address of the object: of AWS's texts, each with its cause. */
function lastCause(text: string): string {
  return text.replace(/^.*caused by: /, "").replace(/^\w+ "[^"]*": /, "");
}

function explainBucket(text: string, { bucket, prefix, endpoint }: Extract<FilePlace, { kind: "bucket" }>): string {
  if (text.includes("NoSuchBucket")) return `There is no bucket "${bucket}" at ${endpoint}: check its name.`;
  const [wrong] = /InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken/.exec(text) ?? [];
  if (wrong !== undefined) {
    return `The bucket "${bucket}" refuses the access key (${wrong}): check ROSTRUM_S3_ACCESS_KEY_ID and ROSTRUM_S3_SECRET_ACCESS_KEY.`;
  }
  if (/AccessDenied|Forbidden/.test(text)) {
    return `The access key may not list, read, write and delete below s3://${bucket}/${prefix}: give it these rights.`;
  }
  if (text.includes("RequestTimeTooSkewed")) {
    return `The bucket "${bucket}" refuses this machine's clock, which is wrong: set it with NTP.`;
  }
  if (/QuotaExceeded|StorageFull|InsufficientStorage|status code: 507/i.test(text)) {
    return `The bucket "${bucket}" is full: raise its limit.`;
  }
  if (
    /dial tcp|connection re|no such host|timeout|EOF|RequestError|status code: (?:5\d\d|429)|SlowDown|cannot be reached/i.test(
      text,
    )
  ) {
    return `The bucket "${bucket}" at ${endpoint} cannot be reached now (${lastCause(text)}).`;
  }
  return `The bucket "${bucket}" cannot be used (${text}).`;
}
