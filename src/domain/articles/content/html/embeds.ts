import type { Element, Parents } from "hast";
import { isAllowedElement } from "./schema.ts";
import { attributeText, textContent } from "./tree.ts";
import { tidyUrl } from "./urls.ts";

/** The attribute with a work's id, and the address of its page: elements that a script turns into a player. */
const PLAYERS: Readonly<Record<string, readonly [property: string, page: string]>> = {
  "amp-gist": ["dataGistid", "https://gist.github.com/"],
  "amp-instagram": ["dataShortcode", "https://www.instagram.com/p/"],
  "amp-twitter": ["dataTweetid", "https://twitter.com/i/status/"],
  "amp-vimeo": ["dataVideoid", "https://vimeo.com/"],
  "amp-youtube": ["dataVideoid", "https://www.youtube.com/watch?v="],
  "lite-vimeo": ["videoid", "https://vimeo.com/"],
  "lite-youtube": ["videoid", "https://www.youtube.com/watch?v="],
};
/** Where the address is, by element. */
const SOURCES: Readonly<Record<string, string>> = { embed: "src", frame: "src", iframe: "src", object: "data" };
const CUSTOM_SOURCES = ["src", "href", "url", "dataSrc", "dataHref", "dataUrl"];
/** Attributes with the address, on elements that a script fills. */
const FILLED = ["dataHref", "dataUrl", "dataInstgrmPermalink"];
const FILLED_ELEMENTS: ReadonlySet<string> = new Set(["blockquote", "div", "figure", "section", "span"]);
const BUTTONS = /share|like|follow|button/i;
/** Scripts that write a page's content where they stand. */
const SCRIPT = /^(https:\/\/(?:gist\.github\.com|asciinema\.org)\/[^?#]+)\.js(?=[?#]|$)/;
const MAX_ADDRESS = 2000;

/** A link in place of an embed that is not allowed; undefined if there is nothing to link to. */
export function linkOfEmbed(node: Element): Element | undefined {
  if (isUnseen(node)) return undefined;
  const address = embeddedAddress(node);
  return address === undefined ? undefined : toLink(address, attributeText(node, "title"));
}

/** As `linkOfEmbed`, of an allowed element that is empty until a script fills it. */
export function linkOfFilled(node: Element): Element | undefined {
  if (!FILLED_ELEMENTS.has(node.tagName)) return undefined;
  const property = FILLED.find((name) => node.properties[name] !== undefined);
  if (property === undefined || BUTTONS.test(attributeText(node, "className")) || !isEmpty(node)) return undefined;
  const address = toAddress(attributeText(node, property));
  return address === undefined ? undefined : toLink(address, "");
}

/** The link as it may stand in `parent`: a paragraph between blocks; undefined where only certain elements may be. */
export function placed(link: Element, parent: Parents): Element | undefined {
  if (parent.type === "element" && STRICT.has(parent.tagName)) return undefined;
  const isBlock = parent.type === "root" || FLOWS.has(parent.tagName);
  const isAmongText = parent.children.some((child) => child.type === "text" && child.value.trim() !== "");
  if (!isBlock || isAmongText) return link;
  return { type: "element", tagName: "p", properties: {}, children: [link] };
}

const STRICT: ReadonlySet<string> = new Set("colgroup dl ol picture ruby table tbody tfoot thead tr ul".split(" "));
const FLOWS: ReadonlySet<string> = new Set("article blockquote div main section".split(" "));

function isEmpty(node: Element): boolean {
  return !node.children.some((child) => child.type === "element") && textContent(node) === "";
}

function embeddedAddress(node: Element): string | undefined {
  const { tagName } = node;
  if (tagName === "script") {
    const source = attributeText(node, "src")
      .trim()
      .replace(/^(?:http:)?\/\//i, "https://");
    return toAddress(SCRIPT.exec(source)?.[1] ?? "");
  }
  const player = PLAYERS[tagName];
  if (player !== undefined) {
    const id = attributeText(node, player[0]);
    return /^[\w-]+$/.test(id) ? player[1] + id : undefined;
  }
  const source = SOURCES[tagName];
  if (source !== undefined) return toAddress(attributeText(node, source));
  if (!tagName.includes("-") || isAllowedElement(tagName) || !isEmpty(node)) return undefined;
  const property = CUSTOM_SOURCES.find((name) => node.properties[name] !== undefined);
  return property === undefined ? undefined : toAddress(attributeText(node, property));
}

/** Counters and the like are embedded where nobody sees them. */
function isUnseen(node: Element): boolean {
  const { hidden, width, height, style } = node.properties;
  const isTiny = [width, height].some((size) => size !== undefined && Number.parseInt(String(size), 10) <= 1);
  return (hidden ?? false) !== false || isTiny || /(?:display:\s*none|visibility:\s*hidden)/i.test(style ?? "");
}

/** An address on the web, without credentials, which could hide its host. */
function toAddress(written: string): string | undefined {
  const address = tidyUrl(written).replace(/^\/\//, "https://");
  if (address.length > MAX_ADDRESS || !/^https?:\/\//.test(address)) return undefined;
  const url = URL.parse(address);
  return url === null || url.username !== "" || url.password !== "" ? undefined : address;
}

function toLink(address: string, title: string): Element {
  const text = title.trim() === "" ? address : title.trim();
  return { type: "element", tagName: "a", properties: { href: address }, children: [{ type: "text", value: text }] };
}
