/** Where files are kept: in a folder, or in a bucket of an S3-compatible service. */
import { isAbsolute, join, relative, resolve } from "node:path";
import { AppError } from "../../domain/system/errors.ts";
import { withoutTrailing } from "../../domain/system/trailing.ts";
import { realPath } from "../../store/system/files.ts";
import type { SettingName } from "./settings.ts";

export type FilePlace =
  | {
      kind: "folder";
      path: string;
      /** Whether every process of the service sees this folder, as far as the settings tell. */
      isShared: boolean;
    }
  | BucketPlace;

export interface BucketPlace extends BucketAccess {
  kind: "bucket";
  bucket: string;
  /** Prefix of keys: empty, or ends with a slash. */
  prefix: string;
}

interface BucketAccess {
  /** Such as `https://s3.eu-central-1.amazonaws.com`, without a trailing slash. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** The service of all buckets. Null: not set. */
export interface BucketSettings {
  endpoint: string | null;
  region: string;
  accessKeyId: string | null;
  secretAccessKey: string | null;
}

const NEEDED = {
  endpoint: "ROSTRUM_S3_ENDPOINT",
  accessKeyId: "ROSTRUM_S3_ACCESS_KEY_ID",
  secretAccessKey: "ROSTRUM_S3_SECRET_ACCESS_KEY",
} as const satisfies Partial<Record<keyof BucketSettings, SettingName>>;

/** The bucket of `s3://bucket/folder`. @param name as the user knows the value. @throws AppError `misconfigured`. */
export function bucketPlace(name: string, value: string, s3: BucketSettings): BucketPlace {
  const [, bucket, folder = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(value) ?? [];
  if (bucket === undefined) {
    throw new AppError("misconfigured", `${name} is "${value}"; a bucket is named as in s3://bucket/folder.`);
  }
  const missing = Object.entries(NEEDED).filter(([key]) => s3[key as keyof typeof NEEDED] === null);
  if (missing.length > 0) {
    const sentences = missing.map(([, setting]) => `${setting} is missing; ${name} names a bucket.`);
    throw new AppError("misconfigured", sentences.join("\n"));
  }
  const path = withoutTrailing(folder, "/");
  const { endpoint, region, accessKeyId, secretAccessKey } = s3 as { [Key in keyof BucketSettings]: string };
  const prefix = path === "" ? "" : `${path}/`;
  return { kind: "bucket", endpoint, region, bucket, prefix, accessKeyId, secretAccessKey };
}

/**
 * The place of `file:<folder>` or `s3://bucket/folder`. @param directory to which a folder is relative.
 * @throws AppError `misconfigured`.
 */
export function parseFilePlace(name: string, value: string, directory: string, s3: BucketSettings): FilePlace {
  if (value.startsWith("s3:")) return bucketPlace(name, value, s3);
  const home = describeHome(name, value);
  if (home !== null) throw new AppError("misconfigured", home);
  const path = localPath("file", value, directory);
  if (path !== undefined) return { kind: "folder", path, isShared: true };
  throw new AppError("misconfigured", `${name} is "${value}"; it must be file:<folder>, or s3://bucket/folder.`);
}

/** Where a continuous backup at this place has the pictures. */
export function backupPictures(place: FilePlace): FilePlace {
  if (place.kind === "folder") return { ...place, path: join(place.path, "pictures") };
  return { ...place, prefix: `${place.prefix}pictures/` };
}

/** A sentence for a path that begins with `~`, which shells replace, but not behind `file:`; else null. */
export function describeHome(name: string, value: string): string | null {
  if (!/^(?:sqlite:|file:)?~/.test(value)) return null;
  return `${name} begins with ~, which only a shell replaces by the home folder: write the whole path.`;
}

/** The path of `<scheme>:<path>`, as in `sqlite:data/rostrum.db` or `file:///backups`. */
export function localPath(scheme: "sqlite" | "file", value: string, directory: string): string | undefined {
  if (!value.startsWith(`${scheme}:`) || value === `${scheme}:`) return undefined;
  const path = value.slice(scheme.length + 1).replace(/^\/\/(?=\/)/, "");
  return isAbsolute(path) ? path : resolve(directory, path);
}

/** Also through links. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(realPath(folder), realPath(path));
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
