import { attributeName } from "../html/schema.ts";
import { propertyText } from "../html/tree.ts";
import type { ElementUnit } from "./units.ts";

const NAMES: Readonly<Record<string, string>> = {
  href: "Link",
  alt: "Alternative text",
  title: "Tooltip",
  cite: "Source",
  dateTime: "Date",
  start: "First number",
  value: "Number",
  reversed: "Reversed order",
  colSpan: "Columns",
  rowSpan: "Rows",
  lang: "Language",
  dir: "Text direction",
  open: "Open at first",
  checked: "Ticked",
  hidden: "Hidden",
  rel: "Link relation",
  target: "Opens in",
  ariaLabel: "Label",
};

const TAGS: Readonly<Record<string, string>> = {
  p: "Paragraph",
  ul: "Bulleted list",
  ol: "Numbered list",
  td: "Cell",
  th: "Header cell",
};

/** Maximum characters of a value to show. */
const MAX_VALUE = 300;

/** One sentence for each change that matters to a reader. */
export function describeChange(old: ElementUnit, young: ElementUnit): string[] {
  const notes: string[] = [];
  const [was, is] = [nameTag(old.tag), nameTag(young.tag)];
  if (old.tag !== young.tag && was !== undefined && is !== undefined) notes.push(`${was} → ${is}`);
  for (const name of new Set([...Object.keys(old.properties), ...Object.keys(young.properties)])) {
    const label = NAMES[name];
    if (label === undefined) continue;
    const [before, after] = [showValue(old, name), showValue(young, name)];
    if (before !== after) notes.push(`${label}: ${before} → ${after}`);
  }
  return notes;
}

/** Describes an added or removed medium beyond its visible text; null for other elements. */
export function describeMedium({ tag, properties }: ElementUnit, mark: "ins" | "del"): string | null {
  const kind = MEDIA[tag];
  if (kind === undefined) return null;
  const source = propertyText("src", properties["src"]);
  return `${kind} ${mark === "ins" ? "added" : "removed"}${source === "" || source.startsWith("data:") ? "" : `: ${cut(source)}`}`;
}

const MEDIA: Readonly<Record<string, string>> = {
  img: "Picture",
  picture: "Picture",
  iframe: "Embed",
  video: "Video",
  audio: "Audio",
};

function nameTag(tag: string): string | undefined {
  return /^h[1-6]$/.test(tag) ? `Heading ${tag.slice(1)}` : TAGS[tag];
}

function showValue({ properties }: ElementUnit, name: string): string {
  const value = properties[name];
  if (value === undefined || value === null || value === false) return "none";
  const text = value === true ? "" : propertyText(name, value);
  if (text === "") return attributeName(name) === "alt" ? "empty" : "yes";
  return `“${cut(text)}”`;
}

function cut(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE).toWellFormed()}…` : text;
}
