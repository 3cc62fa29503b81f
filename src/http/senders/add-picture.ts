import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asset } from "../../domain/articles/assets/asset.ts";
import type { Sender } from "../../domain/articles/senders/sender.ts";
import { temporaryPrefix } from "../../domain/system/temporary-names.ts";
import { addAsset } from "../../operations/articles/assets/assets.ts";
import { OperationLimits } from "../admin/concurrency-limit.ts";
import type { SenderCall } from "./protocol.ts";

const LIMITS = new OperationLimits({ what: "uploads of pictures", perPerson: 6, perWebsite: 8, atOnce: 16 });

/** Adds a picture that a client uploads to the website's. @throws AppError like `addAsset`; `conflict`: too many at once. */
export async function addPicture(
  { deps, address }: Pick<SenderCall, "deps" | "address">,
  { id, websiteId }: Pick<Sender, "id" | "websiteId">,
  { bytes, name, alt }: { bytes: Buffer; name: string; alt: string },
): Promise<Asset> {
  using _slot = LIMITS.begin(id, websiteId);
  const path = join(tmpdir(), temporaryPrefix("upload") + randomUUID().replaceAll("-", ""));
  try {
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
    return await addAsset(deps, websiteId, { path, name, alt }, { actor: id, address });
  } finally {
    await rm(path, { force: true });
  }
}
