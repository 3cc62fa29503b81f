/** JSON of content management systems, which is recognised by its shape. */
import { beginItem, type ImportContext, type ReadItem } from "../import-item.ts";
import type { CmsItem } from "./cms-article.ts";
import { readContentful } from "./contentful.ts";
import { readDrupal } from "./drupal.ts";
import { readDevTo, readHashnode, readTumblr } from "./posts.ts";
import { readSanity } from "./sanity.ts";
import { readStrapi } from "./strapi.ts";

/** The more particular shapes first. */
const READERS = [readContentful, readDrupal, readSanity, readHashnode, readDevTo, readTumblr, readStrapi];

/** `null`: it is something else. */
export function readCms(value: unknown, name: string, context: ImportContext): Iterable<ReadItem> | null {
  for (const read of READERS) {
    const found = read(value);
    if (found !== null) return items(found, name, context);
  }
  return null;
}

function* items(found: CmsItem[], name: string, context: ImportContext): Generator<ReadItem> {
  for (const [index, make] of found.entries()) {
    const source = found.length === 1 ? name : `${name}, entry ${index + 1}`;
    yield beginItem(context, source, undefined, () => make(source, context));
  }
}
