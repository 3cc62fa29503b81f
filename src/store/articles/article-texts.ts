/** Reads all texts of an article that people see in the dashboard. */
import type { Snapshot } from "../store.ts";

interface Owner {
  rowNo: number;
  websiteId: string;
  id: string;
}

/** A version that changes with each text of `listTexts`. */
export async function textsVersion(db: Snapshot, { rowNo, websiteId, id }: Owner, accountId: string): Promise<string> {
  const row = await db.get(
    `SELECT version, (SELECT saved_at FROM draft_copies WHERE row_no = articles.row_no) AS drafted_at,
       (SELECT MAX(held_at) FROM article_origins WHERE row_no = articles.row_no) AS held_at,
       (SELECT MAX(number) FROM revisions WHERE row_no = articles.row_no) AS revision,
       (SELECT MAX(saved_at) FROM working_copies WHERE website_id = ? AND article_id = ? AND account_id = ?) AS typed_at
     FROM articles WHERE row_no = ?`,
    websiteId,
    id,
    accountId,
    rowNo,
  );
  return JSON.stringify(row);
}

/** Texts that the article has now: its body, its draft copy, held changes, and what the account has not saved. */
export async function listTexts(db: Snapshot, { rowNo, websiteId, id }: Owner, accountId: string): Promise<string[]> {
  const body = await db.get("SELECT html FROM article_bodies WHERE row_no = ?", rowNo);
  const draft = await db.get("SELECT changes FROM draft_copies WHERE row_no = ?", rowNo);
  const held = await db.all("SELECT held FROM article_origins WHERE row_no = ? AND held_at IS NOT NULL", rowNo);
  const typed = await db.all(
    "SELECT content FROM working_copies WHERE website_id = ? AND article_id = ? AND account_id = ?",
    websiteId,
    id,
    accountId,
  );
  const texts = [body?.html, draft?.changes, ...held.map((one) => one.held), ...typed.map(({ content }) => content)];
  return texts.filter((text) => text != null);
}

/** Texts of its revisions. */
export async function listEarlierTexts(db: Snapshot, rowNo: number): Promise<string[]> {
  const texts = await db.all("SELECT html FROM revision_texts WHERE row_no = ?", rowNo);
  const fields = await db.all("SELECT fields FROM revisions WHERE row_no = ? AND fields IS NOT NULL", rowNo);
  return [...texts.map(({ html }) => html), ...fields.map((one) => one.fields ?? "")];
}
