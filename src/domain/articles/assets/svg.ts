/** Parses an SVG as XML and writes it anew: only drawing elements, nothing that runs or is loaded from elsewhere. */
import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from "saxes";
import { AppError } from "../../system/errors.ts";
import type { PictureFacts } from "./asset.ts";
import { assertSize } from "./picture-header.ts";
import { type CssRule, readReferences, readRules, toIds, toPlainCss } from "./svg-css.ts";
import { findExcess, type SvgElement } from "./svg-drawing.ts";

const MAX_SVG_BYTES = 5_000_000;
const MAX_DEPTH = 200;
const MAX_ELEMENTS = 100_000;
/** Rules of style sheets by which elements are drawn with others. */
const MAX_RULES = 1_000;
const DEFAULT_SIZE = { width: 300, height: 150 };
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
/** The namespace itself, the entity that Illustrator writes for it, and files that omit it. */
const SVG_NAMESPACES = new Set([SVG_NAMESPACE, "&ns_svg;", ""]);
const XLINK_NAMESPACE = "http://www.w3.org/1999/xlink";

const ELEMENTS = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textPath image
   linearGradient radialGradient stop pattern clipPath mask marker switch view style filter feBlend feColorMatrix
   feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood
   feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
   feSpecularLighting feSpotLight feTile feTurbulence animate animateTransform animateMotion mpath`.split(/\s+/),
);
const UNWRAPPED = new Set(["a"]);
/** Elements that draw a copy of what they refer to. */
const COPIES = new Set(["use", "feImage", "pattern", "filter"]);
/** Maximum amounts in filters; browsers compute for as long as larger ones ask for, and draw nothing else meanwhile. */
const MAX_FILTER_AMOUNTS: Readonly<Record<string, number>> = { numOctaves: 10, radius: 100, stdDeviation: 500 };
const INLINE_PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/;
const FRAGMENT = /^#[^\s"'<>()]+$/;

/** Whether the bytes look like an SVG: text whose first element is `svg`. */
export function isSvg(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 4_096).toString("utf8");
  return /^\uFEFF?\s*<(?:\?xml|!--|!DOCTYPE|svg[\s>])/i.test(start) && bytes.subarray(0, 100_000).includes("<svg");
}

/** @throws AppError `invalid` if the text is not an SVG or exceeds a limit. */
export function cleanSvg(text: string): { svg: string; facts: PictureFacts } {
  const cleaner = new SvgCleaner();
  return cleaner.clean(text);
}

type Tag = SaxesTagNS;

class SvgCleaner {
  #written = "";
  #css: string | null = null;
  /** The output name of each open element; null if the element itself is not written. */
  readonly #open: (string | null)[] = [];
  /** Number of open elements, counted from the outermost one that is removed with its content. */
  #skipped = 0;
  #count = 0;
  #size: { width: number; height: number } | undefined;
  readonly #elements: SvgElement[] = [];
  /** The innermost element that is open. */
  #element: SvgElement | null = null;
  readonly #rules: CssRule[] = [];

  clean(text: string): { svg: string; facts: PictureFacts } {
    if (text.length > MAX_SVG_BYTES) throw refused("it is larger than 5 MB");
    const parser = new SaxesParser({ xmlns: true });
    parser.on("error", (error) => {
      // Entities that the file defines itself, as Illustrator does for namespaces.
      if (error.message.includes("undefined entity") || error.message.includes("unbound namespace prefix")) return;
      throw refused("it is not well-formed XML");
    });
    parser.on("opentag", (tag) => this.#begin(tag));
    parser.on("closetag", () => this.#end());
    parser.on("text", (content) => this.#add(content));
    parser.on("cdata", (content) => this.#add(content));
    parser.write(text.replace(/^\uFEFF/, "")).close();
    if (this.#size === undefined) throw refused("it has no svg element");
    assertSize(this.#size);
    const excess = findExcess(this.#elements, this.#rules);
    if (excess !== null) throw refused(excess);
    return { svg: this.#written, facts: { type: "image/svg+xml", ...this.#size } };
  }

  #begin(tag: Tag): void {
    this.#count++;
    if (this.#count > MAX_ELEMENTS) throw refused("it has too many elements");
    if (this.#open.length >= MAX_DEPTH) throw refused("its elements are nested too deep");
    const isRoot = this.#open.length === 0;
    if (isRoot) {
      if (tag.local !== "svg" || !SVG_NAMESPACES.has(tag.uri)) throw refused("it has no svg element");
      this.#size = readSize(tag);
    }
    // An element within `style` is never kept: its end would split the text that is checked.
    if (this.#skipped > 0 || this.#css !== null || !isKept(tag)) {
      const isUnwrapped =
        this.#skipped === 0 && this.#css === null && SVG_NAMESPACES.has(tag.uri) && UNWRAPPED.has(tag.local);
      if (!isUnwrapped) this.#skipped++;
      this.#open.push(isUnwrapped ? "" : null);
      return;
    }
    const declared = isRoot ? ` xmlns="${SVG_NAMESPACE}" xmlns:xlink="${XLINK_NAMESPACE}"` : "";
    const attributes = Object.values(tag.attributes)
      .map((attribute) => toAttribute(tag.local, attribute))
      .filter((attribute) => attribute !== null);
    const written = attributes.map(([name, value]) => ` ${name}="${escape(value)}"`);
    this.#written += `<${tag.local}${declared}${written.join("")}>`;
    this.#addElement(tag.local, attributes);
    this.#open.push(tag.local);
    if (tag.local === "style") this.#css = "";
  }

  #add(content: string): void {
    if (this.#skipped > 0 || this.#open.length === 0) return;
    if (this.#css === null) this.#written += escape(content);
    else this.#css += content;
  }

  #end(): void {
    const name = this.#open.pop();
    if (name === null) this.#skipped--;
    if (name === null || name === undefined || name === "") return;
    this.#element = this.#element?.parent ?? null;
    if (name === "style") {
      this.#addStyle(this.#css ?? "");
      this.#css = null;
    }
    this.#written += `</${name}>`;
  }

  #addElement(name: string, attributes: readonly Attribute[]): void {
    const valueOf = (wanted: string) => attributes.find(([one]) => one === wanted)?.[1] ?? null;
    const links = attributes.filter(([one]) => COPIES.has(name) && /(?:^|:)href$/.test(one));
    const element: SvgElement = {
      name,
      id: valueOf("id"),
      classes: valueOf("class")?.split(/\s+/) ?? [],
      parent: this.#element,
      children: [],
      vertices: countVertices(name, valueOf),
      copies: [...new Set(links.flatMap(([, value]) => toIds(value.slice(1))))],
      drawnWith: attributes.flatMap(([one, value]) => readReferences(one, value)),
    };
    this.#element?.children.push(element);
    this.#element = element;
    this.#elements.push(element);
  }

  #addStyle(text: string): void {
    const css = toPlainCss(text);
    if (css === null || !isHarmlessCss(css)) return;
    this.#written += escape(css);
    for (const rule of readRules(css)) {
      this.#rules.push(rule);
      if (this.#rules.length > MAX_RULES) throw refused("its style sheet is too long");
    }
  }
}

function isKept(tag: Tag): boolean {
  if (!SVG_NAMESPACES.has(tag.uri) || !ELEMENTS.has(tag.local)) return false;
  // An animation could set what an attribute must not contain.
  return !/href|^on|style|^(?:numOctaves|radius)$/i.test(attributeOf(tag, "attributeName") ?? "");
}

/** Counts the numbers of which lines are made: an upper limit of their vertices. */
function countVertices(name: string, valueOf: (attribute: string) => string | null): number {
  if (name === "line") return 2;
  const isMoving = name === "animate" && /^\s*(?:d|points)\s*$/.test(valueOf("attributeName") ?? "");
  const lines = (isMoving ? ["values", "from", "to", "by"] : ["d", "points"]).map((one) => valueOf(one) ?? "");
  return lines.join(" ").match(/\d*\.?\d+|z/gi)?.length ?? 0;
}

function attributeOf(tag: Tag, name: string): string | undefined {
  return Object.values(tag.attributes).find(({ local, uri }) => local === name && uri === "")?.value;
}

type Attribute = [name: string, value: string];

/** The attribute as it is written anew; null if it is removed. */
function toAttribute(element: string, { local, uri, prefix, value }: SaxesAttributeNS): Attribute | null {
  if (local === "href" && (uri === "" || uri === XLINK_NAMESPACE)) {
    const isPicture = (element === "image" || element === "feImage") && INLINE_PICTURE.test(value);
    return isPicture || FRAGMENT.test(value) ? [uri === "" ? "href" : "xlink:href", value] : null;
  }
  const name = prefix === "xml" && (local === "space" || local === "lang") ? `xml:${local}` : local;
  if (name === local && uri !== "") return null;
  if (!/^[a-zA-Z][a-zA-Z0-9:-]*$/.test(name) || /^(?:on|src|action|formaction)/i.test(name)) return null;
  const css = name === "style" ? toPlainCss(value) : value;
  // An animation's reference would be drawn by another element, where it is not counted.
  if (css === null || !isHarmlessCss(css) || (element.startsWith("animate") && /url\s*\(/i.test(value))) return null;
  const max = element.startsWith("fe") ? MAX_FILTER_AMOUNTS[name] : undefined;
  return [
    name,
    max === undefined
      ? css
      : css.replaceAll(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi, (one) => (Number(one) > max ? `${max}` : one)),
  ];
}

/** Whether the CSS loads nothing. What could disguise the words that are searched for is rejected, such as escapes. */
function isHarmlessCss(css: string): boolean {
  if (/@import|@namespace|@property|\\|expression|javascript|-moz-binding|image-set|src\s*\(/i.test(css)) return false;
  if (css.split(/[;{}]/).some((one) => /^\s*--/.test(one) && /url/i.test(one))) return false;
  // A line's vertices would not be counted.
  if (/(?:^|[\s;{}])d\s*:/i.test(css)) return false;
  const urls = css.match(/url\s*\([^)]*/gi) ?? [];
  return urls.every((url) => /^url\(["']?#/i.test(url) && !/[;{}]/.test(url));
}

function readSize(tag: Tag): { width: number; height: number } {
  const [width, height] = [toPixels(attributeOf(tag, "width")), toPixels(attributeOf(tag, "height"))];
  const box = (attributeOf(tag, "viewBox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , boxWidth = Number.NaN, boxHeight = Number.NaN] = box;
  const hasBox = boxWidth > 0 && boxHeight > 0;
  if (width !== null && height !== null) return rounded(width, height);
  if (width !== null && hasBox) return rounded(width, (width * boxHeight) / boxWidth);
  if (height !== null && hasBox) return rounded((height * boxWidth) / boxHeight, height);
  return hasBox ? rounded(boxWidth, boxHeight) : DEFAULT_SIZE;
}

function rounded(width: number, height: number): { width: number; height: number } {
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

const PIXELS_PER_UNIT: Record<string, number> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
};

/** @returns null for a relative length, or for none. */
function toPixels(length: string | undefined): number | null {
  const [, digits, unit = ""] = /^(\d{1,9}(?:\.\d{1,9})?)([a-z]{0,2})$/.exec(length?.trim() ?? "") ?? [];
  const factor = PIXELS_PER_UNIT[unit];
  const pixels = digits === undefined || factor === undefined ? 0 : Number(digits) * factor;
  return pixels > 0 ? pixels : null;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function refused(reason: string): AppError {
  return new AppError("invalid", `The SVG cannot be used: ${reason}.`);
}
