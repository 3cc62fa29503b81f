import { MAX_GROWTH, resolver, SLICE_LENGTH } from "../../../../client/src/site/absolute-urls.ts";
import { addressPlaces } from "../../../domain/articles/content/markdown/address-places.ts";

/** Makes the relative URLs of links and pictures absolute, not those in code. Linear; yields after each slice of the work. */
export function* absoluteMarkdown(markdown: string, pageFolder: string): Generator<undefined, string> {
  const resolve = resolver(pageFolder);
  const parts: string[] = [];
  let done = 0;
  let sliceStart = 0;
  let growth = 0;
  for (const { start, end } of addressPlaces(markdown)) {
    const value = markdown.slice(start, end);
    const absolute = resolve(value);
    growth += absolute.length - value.length;
    if (growth > MAX_GROWTH) break;
    if (absolute !== value) {
      parts.push(markdown.slice(done, start), absolute);
      done = end;
    }
    if (end - sliceStart < SLICE_LENGTH) continue;
    sliceStart = end;
    yield;
  }
  return parts.join("") + markdown.slice(done);
}
