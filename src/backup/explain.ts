/** Explains why a backup cannot be written or read, in sentences for the operator. */
import { existsSync } from "node:fs";
import { BucketError } from "../asset-files/s3.ts";
import { AppError, type ErrorCode, getErrorCode } from "../domain/system/errors.ts";
import type { FilePlace } from "../process/settings/file-places.ts";
import { explainFailure } from "./litestream-log.ts";

/** Errors caused by the settings or by the clock of this machine. */
const IS_SETTING = new Set([
  "AccessDenied",
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "InvalidToken",
  "RequestTimeTooSkewed",
]);

/** Runs what reads the backup. @throws AppError instead of BucketError; `not_found` if the folder or the bucket is not there. */
export async function explained<T>(place: FilePlace, work: () => Promise<T>): Promise<T> {
  if (place.kind === "folder" && !existsSync(place.path)) {
    throw new AppError("not_found", `There is no folder ${place.path}: check the address, and that the disk is there.`);
  }
  try {
    return await work();
  } catch (error) {
    if (place.kind === "folder" && getErrorCode(error) === "EACCES") {
      throw new AppError("invalid", `${place.path} cannot be read: this user has no right to.`, { cause: error });
    }
    if (place.kind === "folder" && getErrorCode(error) === "ENOTDIR") {
      throw new AppError("invalid", `${place.path} is no folder: check the address.`, { cause: error });
    }
    const cause = bucketError(error);
    if (cause === undefined) throw error;
    throw new AppError(toCode(cause.code), describeFailure(error, place));
  }
}

export function describeFailure(error: unknown, place: FilePlace): string {
  const cause = bucketError(error);
  const message = error instanceof Error ? error.message : String(error);
  const text = cause === undefined ? message : [cause.code, cause.message].filter((part) => part !== null).join(": ");
  return explainFailure(text, place);
}

function bucketError(error: unknown): BucketError | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof BucketError ? cause : undefined;
}

function toCode(code: string | null): ErrorCode {
  if (code === "NoSuchBucket") return "not_found";
  return code !== null && IS_SETTING.has(code) ? "misconfigured" : "service_unavailable";
}
