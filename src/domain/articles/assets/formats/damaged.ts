import { AppError } from "../../../system/errors.ts";

/** For a file that begins like a picture and cannot be read to its end. */
export function damaged(cause?: unknown): AppError {
  return new AppError(
    "invalid",
    "The picture is damaged or incomplete. Save it again, then try once more.",
    cause === undefined ? {} : { cause },
  );
}
