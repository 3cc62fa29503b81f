/** The files of a repository, as they were pushed last. */
import { toCamelCase } from "../../domain/system/camel-case.ts";
import { inBatches, placeholders } from "../system/sql-batch.ts";
import type { Snapshot, Writer } from "../store.ts";

export interface PushedFile {
  path: string;
  /** The access token that lists it. */
  tokenId: string;
  /** As its client computes it. */
  hash: string;
  /** null: the file has no article, or several. */
  articleId: string | null;
}

const COLUMNS = "path, token_id, hash, article_id";

export async function listPushedFiles(db: Snapshot, websiteId: string): Promise<PushedFile[]> {
  const rows = await db.all(`SELECT ${COLUMNS} FROM pushed_files WHERE website_id = ?`, websiteId);
  return rows.map((row) => toCamelCase(row));
}

export async function putPushedFile(db: Writer, websiteId: string, file: PushedFile): Promise<void> {
  await db.run(
    `INSERT INTO pushed_files (website_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (website_id, path) DO UPDATE SET token_id = excluded.token_id, hash = excluded.hash,
       article_id = excluded.article_id`,
    websiteId,
    file.path,
    file.tokenId,
    file.hash,
    file.articleId,
  );
}

/** Makes the files those of this token, which lists them. */
export async function adoptPushedFiles(
  db: Writer,
  websiteId: string,
  paths: readonly string[],
  tokenId: string,
): Promise<void> {
  await inBatches(paths, async (batch) => [
    await db.run(
      `UPDATE pushed_files SET token_id = ? WHERE website_id = ? AND path IN (${placeholders(batch)})`,
      tokenId,
      websiteId,
      ...batch,
    ),
  ]);
}

export async function deletePushedFiles(db: Writer, websiteId: string, paths: readonly string[]): Promise<void> {
  await inBatches(paths, async (batch) => [
    await db.run(
      `DELETE FROM pushed_files WHERE website_id = ? AND path IN (${placeholders(batch)})`,
      websiteId,
      ...batch,
    ),
  ]);
}
