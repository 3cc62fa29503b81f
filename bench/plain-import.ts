/**
 * The import's baseline: one process reads articles line by line, parses their HTML with parse5, serialises it, and inserts it
 * with the words of its text into SQLite, as many in a transaction as our import, each durable. Prints the number of articles.
 *
 * `node plain-import.ts ARTICLES.ndjson DATABASE`
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { type DefaultTreeAdapterTypes, parseFragment, serialize } from "parse5";

const BATCH = 50;
const [file = "", path = ""] = process.argv.slice(2);

const database = new DatabaseSync(path);
database.exec("PRAGMA journal_mode = WAL");
database.exec("PRAGMA synchronous = FULL");
database.exec("CREATE TABLE articles (id INTEGER PRIMARY KEY, slug TEXT UNIQUE, title TEXT, html TEXT, source TEXT)");
database.exec("CREATE VIRTUAL TABLE article_words USING fts5 (words, content = '', detail = none)");
const insertArticle = database.prepare("INSERT INTO articles (slug, title, html, source) VALUES (?, ?, ?, ?)");
const insertWords = database.prepare("INSERT INTO article_words (rowid, words) VALUES (?, ?)");

let count = 0;
for await (const line of createInterface({ input: createReadStream(file) })) {
  if (count % BATCH === 0) database.exec("BEGIN");
  // The bench has written the file.
  const { slug, title, content } = JSON.parse(line) as { slug: string; title: string; content: string };
  const tree = parseFragment(content);
  const { lastInsertRowid } = insertArticle.run(slug, title, serialize(tree), line);
  insertWords.run(lastInsertRowid, [...new Set(words(`${title} ${textOf(tree)}`))].join(" "));
  if (++count % BATCH === 0) database.exec("COMMIT");
}
if (count % BATCH !== 0) database.exec("COMMIT");
database.close();
process.stdout.write(`${count}\n`);

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join(" ") : "";
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
