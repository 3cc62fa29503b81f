/** Articles in the rows of a CSV file, as Webflow, HubSpot, Wix, Joomla's extensions and others export them. */
import { Warnings } from "../../domain/articles/warnings.ts";
import type { ImportItem } from "../../operations/articles/import/import-items.ts";
import { type CsvRow, parseCsv } from "../csv.ts";
import { beginItem, type ImportContext, NoArticles, type ReadItem, toText } from "../import-item.ts";
import { FrontMatterFields } from "../markdown/front-matter.ts";
import { bodiesOf, textBody, titleOf, toCmsDraft } from "./cms-article.ts";

export function* readTable(name: string, text: string, context: ImportContext): Generator<ReadItem> {
  const rows = parseCsv(text);
  const [first] = rows;
  const isSubstack = first !== undefined && "email_sent_at" in first;
  if (isSubstack)
    throw new NoArticles("It is the list of a Substack export, without the texts: import the whole .zip.");
  if (!rows.some((row) => titleOf(row) !== undefined && bodyOf(row) !== null)) {
    throw new NoArticles(
      "It is a table (CSV) without a column for the title and one for the text: name them title and content.",
    );
  }
  // Webflow's columns, which nobody else has together.
  const label = first !== undefined && "Published On" in first && "Slug" in first ? "Webflow" : "CSV";
  for (const [index, row] of rows.entries()) {
    const source = rows.length === 1 ? name : `${name}, row ${index + 1}`;
    yield beginItem(context, source, undefined, () => toItem(row, label, source, name, context));
  }
}

function toItem(row: CsvRow, label: string, source: string, name: string, context: ImportContext): ImportItem {
  const fields = Object.fromEntries(Object.entries(row).filter(([, cell]) => cell.trim() !== ""));
  const body = bodyOf(fields);
  const title = titleOf(fields);
  if (body === null || title === undefined) {
    const reason = `The row has no ${title === undefined ? "title" : "text"}.`;
    return { kind: "failed", source, reason };
  }
  const lookup = new FrontMatterFields(fields);
  const id = toText(lookup.get("item_id", "post_id", "id"));
  const identity = toText(lookup.get("item_id", "slug", "post_id", "id", "post_url", "url"));
  return toCmsDraft(
    {
      source,
      ref: `csv:${identity ?? `${name}:${title}`}`,
      label,
      fields: Object.fromEntries(Object.entries(fields).map(([column, cell]) => [column, asList(column, cell)])),
      body,
      warnings: new Warnings(),
      id,
    },
    context,
  );
}

function bodyOf(row: Record<string, string>) {
  const found = bodiesOf(row).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? textBody(found) : null;
}

/** Several labels are parted by semicolons, so that commas may be in the cell. */
function asList(column: string, cell: string): string | string[] {
  return /^(?:tags?|categor(?:y|ies)|topics?)$/i.test(column) && cell.includes(";") ? cell.split(";") : cell;
}
