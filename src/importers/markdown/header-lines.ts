import type { SplitText } from "./front-matter.ts";

/** Lines and characters: more than any article has. */
const MAX_LINES = 100;
const MAX_LINE = 5000;

/**
 * Splits off lines such as `Title: Tea`, with which articles of Pelican and MkDocs begin instead of front matter. A line that
 * is indented goes on the value before it.
 */
export function splitHeaderLines(text: string): SplitText {
  const none = { data: null, body: text };
  const data: Record<string, string> = {};
  let name = "";
  let at = 0;
  for (let count = 0; at < text.length; count += 1) {
    const next = text.indexOf("\n", at);
    const end = next < 0 ? text.length : next;
    const line = text.slice(at, end);
    if (line.trim() === "") break;
    const [start = "", key] = /^([A-Za-z][\w-]{0,40}):(?=[ \t]|$)/.exec(line) ?? [];
    if (count > MAX_LINES || line.length > MAX_LINE) return none;
    if (key !== undefined) {
      name = key.toLowerCase();
      data[name] = line.slice(start.length).trim();
    } else if (name !== "" && /^(?: {4}|\t)/.test(line)) data[name] = `${data[name] ?? ""}\n${line.trim()}`.trim();
    else return none;
    at = end + 1;
  }
  const isHeader = (data["title"] ?? "") !== "" && Object.keys(data).some((key) => KEYS.has(key));
  return isHeader ? { data, body: text.slice(at) } : none;
}

/** What comes with a title: a title alone may be the beginning of a text. */
const KEYS: ReadonlySet<string> = new Set(
  "author authors category date keywords lang modified slug status summary tags template translation".split(" "),
);
