/** Gives a website's own pictures in a text their size and their other widths (`images=responsive`). */
import { findTags } from "../../../client/src/site/html-tags.ts";
import { pictureSrcset } from "../../../client/src/site/srcset.ts";
import { findAssetHash, type PictureFacts } from "../../domain/articles/assets/asset.ts";
import { hasRenditions } from "../../domain/articles/assets/rendition.ts";

/** Characters after which others may have their turn. */
const SLICE_LENGTH = 16 * 1024;
/** Characters that one text may grow by; pictures after that stay as they are. */
const MAX_GROWTH = 32 * 1024 * 1024;
const MAX_ADDRESS = 2_000;

interface OwnPicture {
  hash: string;
  url: string;
  /** Where attributes can be added to the tag. */
  at: number;
  /** The attributes that it has. */
  attributes: ReadonlyMap<string, string>;
}

/** The hashes of the website's own pictures in sanitised HTML. Linear; yields after each slice of the work. */
export function* findOwnPictures(html: string, websiteId: string): Generator<undefined, ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const picture of ownPictures(html, websiteId)) {
    if (picture === null) yield;
    else hashes.add(picture.hash);
  }
  return hashes;
}

/** `facts`: of the pictures that exist, by their hashes. As `findOwnPictures`. */
export function* responsivePictures(
  html: string,
  websiteId: string,
  facts: ReadonlyMap<string, PictureFacts>,
): Generator<undefined, string> {
  const parts: string[] = [];
  let done = 0;
  let growth = 0;
  for (const picture of ownPictures(html, websiteId)) {
    if (picture === null) {
      yield;
      continue;
    }
    const fact = facts.get(picture.hash);
    const added = fact === undefined ? "" : newAttributes(picture, fact);
    growth += added.length;
    if (growth > MAX_GROWTH) break;
    parts.push(html.slice(done, picture.at), added);
    done = picture.at;
  }
  return [...parts, html.slice(done)].join("");
}

/** Null: a slice of the work is done. */
function* ownPictures(html: string, websiteId: string): Generator<OwnPicture | null> {
  if (!html.includes(`/assets/${websiteId}/`)) return;
  let sliceStart = 0;
  for (const tag of findTags(html)) {
    if (tag.name === "img") {
      const values = tag.attributes.map(({ name, value }) => [name, html.slice(...value)] as const);
      const attributes = new Map(values);
      const url = attributes.get("src") ?? "";
      const hash = isPlain(url) ? findAssetHash(websiteId, url) : undefined;
      if (hash !== undefined) yield { hash, url, at: tag.nameEnd, attributes };
    }
    if (tag.end - sliceStart < SLICE_LENGTH) continue;
    sliceStart = tag.end;
    yield null;
  }
}

/** Whether it means the same in a `srcset`, and between other quotes. */
function isPlain(url: string): boolean {
  return url.length <= MAX_ADDRESS && !/[\s"',&<>]/.test(url);
}

function newAttributes({ url, attributes }: OwnPicture, facts: PictureFacts): string {
  const given = attributes.get("width") ?? "";
  const width = /^\d{1,5}$/.test(given) ? Number(given) : facts.width;
  const srcset = hasRenditions(facts) && !attributes.has("srcset") ? (pictureSrcset(url, facts.width) ?? "") : "";
  const added: string[] = [];
  if (!attributes.has("width") && !attributes.has("height")) {
    added.push(` width="${facts.width}" height="${facts.height}"`);
  }
  // One width is no choice.
  if (srcset.includes(", ")) {
    added.push(` srcset="${srcset}"`);
    // Never wider than it would be alone.
    if (!attributes.has("sizes")) added.push(` sizes="(max-width: ${width}px) 100vw, ${width}px"`);
  }
  return added.join("");
}
