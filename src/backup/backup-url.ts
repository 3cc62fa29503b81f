/** The layout below ROSTRUM_BACKUP_URL: `database/` is Litestream's replica, `pictures/` has the pictures' files by key. */
import { join } from "node:path";
import {
  backupPictures,
  type BucketSettings,
  type FilePlace,
  parseFilePlace,
} from "../process/settings/file-places.ts";

export interface BackupPlace {
  /** For people and logs. */
  url: string;
  pictures: FilePlace;
  replica: Replica;
}

/** An entry of `replicas` in Litestream's configuration, and what its environment must have: the secrets. */
interface Replica {
  config: Record<string, string | boolean>;
  environment: Record<string, string>;
}

/** @param name as the user knows the value. @param directory to which a folder is relative. @throws AppError `misconfigured`. */
export function parseBackupUrl(name: string, value: string, directory: string, s3: BucketSettings): BackupPlace {
  return backupPlace(parseFilePlace(name, value, directory, s3));
}

export function backupPlace(place: FilePlace): BackupPlace {
  if (place.kind === "folder") {
    return {
      url: `file:${place.path}`,
      pictures: backupPictures(place),
      replica: { config: { type: "file", path: join(place.path, "database") }, environment: {} },
    };
  }
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = place;
  return {
    url: `s3://${bucket}/${prefix}`,
    pictures: backupPictures(place),
    replica: {
      // Not every service has an address for each bucket.
      config: { type: "s3", endpoint, region, bucket, path: `${prefix}database`, "force-path-style": true },
      environment: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    },
  };
}
