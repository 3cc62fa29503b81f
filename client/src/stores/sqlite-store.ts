/// <reference lib="esnext.disposable" preserve="true" />
/** Stores a copy in an SQLite file, using the module built into Node 22.13 and newer. */
import { DatabaseSync } from "node:sqlite";
import type { ArticleSummary } from "../types.ts";
import { type ArticleStore, type CopyState, page, type StoredArticle, summaryOf } from "./store.ts";

/** @param path is created if needed. Several processes may read while one writes. */
export function sqliteStore(path: string): ArticleStore & Disposable {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS articles (
      id TEXT PRIMARY KEY, slug TEXT NOT NULL, published_at TEXT NOT NULL, summary TEXT NOT NULL, content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS articles_by_slug ON articles (slug);
    CREATE INDEX IF NOT EXISTS articles_by_publication ON articles (published_at DESC, id);
    CREATE TABLE IF NOT EXISTS copy_state (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT;
  `);
  const remove = db.prepare("DELETE FROM articles WHERE id = ?");
  const insert = db.prepare(
    "INSERT OR REPLACE INTO articles (id, slug, published_at, summary, content) VALUES (?, ?, ?, ?, ?)",
  );
  const write = ({ articles, removed, state }: Parameters<ArticleStore["apply"]>[0]) => {
    for (const id of removed) remove.run(id);
    for (const article of articles) {
      const { id, slug, published_at, content } = article;
      insert.run(id, slug, published_at ?? "", JSON.stringify(summaryOf(article)), content);
    }
    db.exec("DELETE FROM copy_state");
    if (state !== null) db.prepare("INSERT INTO copy_state VALUES (1, ?)").run(JSON.stringify(state));
  };
  return {
    async state() {
      const row = db.prepare("SELECT state FROM copy_state").get();
      return row === undefined ? null : (JSON.parse(String(row["state"])) as CopyState);
    },
    ids: async () =>
      db
        .prepare("SELECT id FROM articles")
        .all()
        .map((row) => String(row["id"])),
    async apply(changes) {
      db.exec("BEGIN IMMEDIATE");
      try {
        write(changes);
        db.exec("COMMIT");
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
    get: async (id) => articleOf(db.prepare("SELECT summary, content FROM articles WHERE id = ?").get(id)),
    getBySlug: async (slug) => articleOf(db.prepare("SELECT summary, content FROM articles WHERE slug = ?").get(slug)),
    async list(query) {
      const { limit = 50, offset = 0, category, tag } = query;
      if (category === undefined && tag === undefined) {
        const rows = db
          .prepare("SELECT summary FROM articles ORDER BY published_at DESC, id LIMIT ? OFFSET ?")
          .all(limit, offset);
        const { total } = db.prepare("SELECT COUNT(*) AS total FROM articles").get() ?? {};
        return { articles: rows.map(parseSummary), total: Number(total) };
      }
      const all = db.prepare("SELECT summary FROM articles ORDER BY published_at DESC, id").all();
      return page(all.map(parseSummary), query);
    },
    [Symbol.dispose]: () => db.close(),
  };
}

function parseSummary(row: Record<string, unknown>): ArticleSummary {
  return JSON.parse(String(row["summary"])) as ArticleSummary;
}

function articleOf(row: Record<string, unknown> | undefined): StoredArticle | null {
  if (row === undefined) return null;
  return { ...parseSummary(row), content: String(row["content"]) };
}
