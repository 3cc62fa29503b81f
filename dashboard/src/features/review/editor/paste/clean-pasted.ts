/** Cleans the clipboard content of other programs before the schema parses it. */
import { findFrame } from "../document/embeds.ts";
import type { Format } from "../document/fingerprint.ts";
import { cleanCode } from "./code.ts";
import { unwrapAll } from "./elements.ts";
import { cleanLists, writeBoxes } from "./lists.ts";
import { stylesToElements } from "./styles.ts";
import { cleanTables } from "./tables.ts";

/** @returns the HTML to parse, and whether pictures were removed because they exist only on the other computer. */
export function cleanPasted(html: string, format: Format): { html: string; hasLostImages: boolean } {
  // An inert document loads and runs nothing.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const one of body.querySelectorAll(REMOVED)) one.remove();
  unwrapAll(body.querySelectorAll('b[id^="docs-internal-guid"], o\\:p, w\\:sdt, st1\\:place'));
  cleanCode(body);
  cleanLists(body);
  for (const link of body.querySelectorAll("a[href]")) {
    const target = redirectTarget(link.getAttribute("href") ?? "");
    if (target !== null) link.setAttribute("href", target);
  }
  cleanFrames(body);
  const hasLostImages = removeLocalImages(body);
  stylesToElements(body);
  cleanTables(body, format);
  cleanBreaks(body);
  if (format === "html") {
    writeBoxes(body);
    for (const one of body.querySelectorAll("[data-footnote]")) one.removeAttribute("data-footnote");
  }
  return { html: body.innerHTML, hasLostImages };
}

const REMOVED = "style, script, meta, link, xml, title, noscript, template, [data-island], [data-embed]";

/** Google Docs wraps the addresses of links in its own. */
function redirectTarget(address: string): string | null {
  const url = URL.parse(address);
  const isRedirect = url !== null && /^(?:www\.)?google\.[a-z.]+$/.test(url.hostname) && url.pathname === "/url";
  return isRedirect ? url.searchParams.get("q") : null;
}

/** The schema makes videos of these; what else was in a frame becomes a link. */
function cleanFrames(body: Element): void {
  for (const frame of body.querySelectorAll("iframe")) {
    const src = frame.getAttribute("src") ?? "";
    const made = body.ownerDocument.createElement("div");
    made.dataset["embed"] = src;
    if (findFrame(src) === null) {
      delete made.dataset["embed"];
      const link = body.ownerDocument.createElement("a");
      link.setAttribute("href", src);
      link.textContent = frame.getAttribute("title") ?? src;
      if (/^https?:\/\//i.test(src)) made.append(link);
    }
    const figure = frame.closest("figure");
    if (figure !== null && figure.textContent.trim() === "") figure.replaceWith(made);
    else frame.replaceWith(made);
  }
}

function removeLocalImages(body: Element): boolean {
  let hasLost = false;
  for (const image of body.querySelectorAll("img")) {
    if (/^(?:https?:)?\/\/|^\//i.test(image.getAttribute("src") ?? "")) continue;
    hasLost = true;
    image.remove();
  }
  return hasLost;
}

/** Empty paragraphs, and line breaks between blocks, are only space. */
function cleanBreaks(body: Element): void {
  for (const one of body.querySelectorAll("p")) {
    if (one.textContent.trim() === "" && one.querySelector("img, input, [data-footnote]") === null) one.remove();
  }
  const isAmongBlocks = [...body.children].some(({ tagName }) => BLOCKS.has(tagName));
  for (const line of body.querySelectorAll("br.Apple-interchange-newline")) line.remove();
  if (isAmongBlocks) for (const line of body.querySelectorAll(":scope > br")) line.remove();
}

const BLOCKS: ReadonlySet<string> = new Set(
  "BLOCKQUOTE DIV DL FIGURE H1 H2 H3 H4 H5 H6 HR LI OL P PRE SECTION TABLE UL".split(" "),
);
