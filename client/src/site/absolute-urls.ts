/** Makes the relative URLs of stored HTML absolute: links, pictures and other media. Everything else is kept byte for byte. */

import { findTags, isSpace, type Range } from "./html-tags.ts";

const URL_ATTRIBUTES: ReadonlySet<string> = new Set(["href", "src", "poster", "cite"]);

/** Characters after which others may have their turn. */
export const SLICE_LENGTH = 16 * 1024;
/** Characters that one text may grow by: with a long address of the website, and nothing but links, it would be gigabytes. */
export const MAX_GROWTH = 32 * 1024 * 1024;

/** `html` is sanitised: each `<` begins a tag or a comment. Linear; yields after each slice of the work. */
export function* absoluteUrls(html: string, websiteUrl: string): Generator<undefined, string> {
  const resolve = resolver(websiteUrl);
  const slices: string[] = [];
  let slice: string[] = [];
  let sliceStart = 0;
  let done = 0;
  let growth = 0;
  for (const [start, end] of urlRanges(html)) {
    const value = html.slice(start, end);
    const absolute = resolve(value);
    growth += absolute.length - value.length;
    if (growth > MAX_GROWTH) break;
    if (absolute !== value) {
      slice.push(html.slice(done, start), absolute);
      done = end;
    }
    if (end - sliceStart < SLICE_LENGTH) continue;
    slices.push(slice.join(""));
    slice = [];
    sliceStart = end;
    yield;
  }
  return [...slices, ...slice, html.slice(done)].join("");
}

/** The same without turns for others. */
export function withAbsoluteUrls(html: string, websiteUrl: string): string {
  const work = absoluteUrls(html, websiteUrl);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Where URLs are, and an empty range at the end of each tag and comment. */
function* urlRanges(html: string): Generator<Range> {
  for (const { attributes, end } of findTags(html)) {
    for (const { name, value } of attributes) {
      if (name === "srcset") yield* sourceRanges(html, ...value);
      else if (URL_ATTRIBUTES.has(name)) yield value;
    }
    yield [end, end];
  }
}

/** The URLs of a `srcset`, whose candidates are separated by commas. */
function* sourceRanges(html: string, from: number, to: number): Generator<Range> {
  let at = from;
  while (at < to) {
    while (at < to && (isSpace(html.charCodeAt(at)) || html[at] === ",")) at += 1;
    const start = at;
    while (at < to && !isSpace(html.charCodeAt(at))) at += 1;
    // A comma at its end separates it from the next one.
    yield [start, html[at - 1] === "," ? at - 1 : at];
    if (html[at - 1] === ",") continue;
    while (at < to && html[at] !== ",") at += 1;
  }
}

/** Resolves URLs as they stand in HTML, without decoding their character references. */
export function resolver(websiteUrl: string): (written: string) => string {
  const { origin, protocol, pathname } = new URL(websiteUrl);
  const folder = `${origin}${pathname.endsWith("/") ? pathname : `${pathname}/`}`;
  return (written) => {
    const address = written.trim();
    // A link within the page stays one. A character reference up front may hide a scheme.
    if (address === "" || address.startsWith("#") || /^[a-z][a-z0-9+.-]*:/i.test(address)) return written;
    if (/^[^/?#]*&/.test(address)) return written;
    if (address.startsWith("//")) return protocol + address;
    if (address.startsWith("/")) return origin + address;
    const [steps = ""] = /^(?:\.{1,2}\/)*/.exec(address) ?? [];
    return (steps === "" ? folder : new URL(steps, folder).href) + address.slice(steps.length);
  };
}
