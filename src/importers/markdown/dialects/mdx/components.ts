/** What components of MDX mean to a reader. */
import { boxTitle } from "../../../../domain/articles/content/markdown/blocks.ts";
import { isRecord } from "../../../../domain/articles/json-values.ts";
import { box, boxWord, codeBlock, details, embed, embedAddress, isEmbed, link, picture } from "../constructs.ts";
import type { Made } from "../output.ts";
import { UNKNOWN } from "./values.ts";

export interface Component {
  /** As it is written, for people. */
  source: string;
  name: string;
  /** Values of its attributes by their names; `UNKNOWN` if only a browser knows one. */
  props: ReadonlyMap<string, unknown>;
  /** What it contains, as Markdown. */
  inside: string;
  /** Its text, if it contains nothing but a string of JavaScript. */
  text: string | undefined;
  /** Whether nothing else is in its line. */
  isAlone: boolean;
  /** The label that the component around it gives to it. */
  label: string | undefined;
}

type Meaning = (component: Component) => Made;

/** Without their own meaning: what is inside stays. */
const TRANSPARENT = words(
  "accordiongroup accordions box browseronly browserwindow cardbody cardfooter cardgrid cardgroup cardheader cards center clientonly codegroup codetabs col collapsegroup column columns container filetree flex fragment frame fullwidth grid highlight intro linkgrid lead mdxlayout noscript responsive row section stack steplist steps tabgroup tablist tabpanels tabs term text tooltip underline wrapper",
);
const LABELLED = words("codegroupitem panel step tab tabitem tabpanel");
const CARDS = words("card feature linkcard contentcard");
const FOLDS = words(
  "accordion accordionitem collapse collapsible details disclosure expandable expander faqitem foldable spoiler toggle",
);
const PICTURES = words(
  "figure idealimage image imagefigure imagezoom img lightbox nextimage optimizedimage photo picture responsiveimage screenshot themedimage thumbnail zoom zoomableimage zoomimage",
);
const LINKS = words("anchor button buttonlink doclink externallink link linkbutton navlink routerlink");
const BOXES = words(
  "admonition alert aside banner callout caution check danger error hint important info infobox message note notice sidenote success tip warn warning",
);
const LABELS = words("badge chip label pill tag");
const QUOTES = words("blockquote pullquote quote");
const CODE = words("code codeblock codesnippet highlightcode prism snippet syntaxhighlighter terminal");
const FORMULAS = words("blockmath equation inlinemath katex latex math tex");
const KEYS = words("kbd key");
const MEDIA = words("audio audioplayer reactplayer video videoplayer");
/** Without words. */
const SILENT = words(
  "adsense comments faicon fontawesomeicon head icon meta script seo socialshare style tableofcontents toc tocinline",
);
/** Players by the names of their components, which often end so. */
const PLAYERS: ReadonlyMap<string, string> = new Map([
  ["liteyoutube", "youtube"],
  ["yt", "youtube"],
  ["xpost", "x"],
  ["tweetcard", "tweet"],
]);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** @returns undefined for a component that nobody knows. */
export function meaningOf(name: string): Meaning | undefined {
  const plain = (name.split(".").at(-1) ?? name).replaceAll(/[-_:]/g, "").toLowerCase();
  if (SILENT.has(plain)) return () => "";
  if (TRANSPARENT.has(plain)) return ({ inside, isAlone }) => toBlock(inside, isAlone);
  if (LABELLED.has(plain)) return labelled;
  if (CARDS.has(plain)) return card;
  if (FOLDS.has(plain)) return fold;
  if (PICTURES.has(plain)) return pictured;
  if (LINKS.has(plain)) return linked;
  if (BOXES.has(plain)) return (component) => boxed(component, plain);
  if (LABELS.has(plain))
    return (component) => component.inside.trim() || (textOf(component, "text", "label", "content", "children") ?? "");
  if (QUOTES.has(plain)) return quoted;
  if (CODE.has(plain)) return code;
  if (FORMULAS.has(plain)) return (component) => formula(component, plain);
  if (KEYS.has(plain)) return ({ inside }) => `<kbd>${inside.trim()}</kbd>`;
  if (plain === "mark") return ({ inside }) => `<mark>${inside.trim()}</mark>`;
  if (plain === "mermaid") return mermaid;
  if (MEDIA.has(plain)) return (component) => played(component, "");
  const host = PLAYERS.get(plain) ?? plain.replace(/(?:embed|player|video)$/, "").replace(/^(?:lite|embed)/, "");
  return isEmbed(host) ? (component) => played(component, host) : undefined;
}

/** What is there for readers in a component that nobody knows: its words, addresses and pictures. */
export function unknownMeaning(component: Component): Made {
  const { inside, isAlone } = component;
  const src = textOf(component, "src", "image", "img");
  const title = textOf(component, ...TITLES);
  const href = textOf(component, "href", "to", "url", "link");
  const parts = [
    title === undefined || href !== undefined ? "" : `**${title}**`,
    src !== undefined && PICTURE.test(src)
      ? made(picture({ src, alt: textOf(component, "alt") }, "markdown", false))
      : "",
    href === undefined ? "" : link(title ?? href, href, "markdown"),
    src !== undefined && /^https?:\/\/\S+$/.test(src) && !PICTURE.test(src) ? link(src, src, "markdown") : "",
    ...["description", "text", "content", "caption", "summary", "quote", "question", "answer", "author"].map(
      (name) => textOf(component, name) ?? "",
    ),
    inside,
  ].filter((part) => part.trim() !== "");
  return isAlone ? toBlock(parts.join("\n\n"), true) : parts.map((part) => part.trim()).join(" ");
}

const PICTURE = /\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i;
const TITLES = ["title", "label", "heading", "header", "name"];

function toBlock(text: string, isAlone: boolean): Made {
  return isAlone ? (text.trim() === "" ? "" : { block: text }) : text;
}

function made(value: Made): string {
  return typeof value === "string" ? value : value.block;
}

/** The first of these attributes that is text or a number. */
function textOf({ props }: Component, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = props.get(name);
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return undefined;
}

function withTitle(title: string | undefined, inside: string, isAlone: boolean): Made {
  if (title === undefined) return toBlock(inside, isAlone);
  return isAlone ? { block: `**${title}**\n\n${inside}`.trim() } : `**${title}** ${inside.trim()}`.trim();
}

function labelled(component: Component): Made {
  const title = component.label ?? textOf(component, ...TITLES, "value");
  return withTitle(title, component.inside, component.isAlone);
}

function card(component: Component): Made {
  const title = textOf(component, ...TITLES);
  const href = textOf(component, "href", "to", "url", "link");
  const shown = href === undefined ? title : link(title ?? href, href, "markdown");
  const about = textOf(component, "description") ?? "";
  const inside = [about, component.inside].filter((part) => part.trim() !== "").join("\n\n");
  return withTitle(shown, inside, component.isAlone);
}

function fold(component: Component): Made {
  const title = textOf(component, "summary", ...TITLES, "question") ?? made(titleNode(component));
  if (!component.isAlone) return withTitle(title === "" ? undefined : title, component.inside, false);
  const own = /^\s*<summary/.test(component.inside);
  return own
    ? { block: `<details>\n${component.inside.trim()}\n\n</details>` }
    : details(title === "" ? "Details" : title, component.inside);
}

function titleNode({ props }: Component): string {
  const summary = props.get("summary");
  return isRecord(summary) && typeof summary["words"] === "string" ? summary["words"] : "";
}

function pictured(component: Component): Made {
  const { inside, isAlone } = component;
  const src = addressOf(component.props.get("src") ?? component.props.get("img") ?? component.props.get("sources"));
  if (src === undefined) return inside.trim() === "" ? unknownMeaning(component) : toBlock(inside, isAlone);
  const caption = textOf(component, "caption") ?? (inside.trim() === "" ? undefined : inside.trim());
  return picture({ src, alt: textOf(component, "alt") ?? textOf(component, "title"), caption }, "markdown", isAlone);
}

/** The address of a picture: a text, `{src}`, or those of a light and a dark page. */
export function addressOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (!isRecord(value)) return undefined;
  return addressOf(value["src"] ?? value["light"] ?? value["default"] ?? value["url"] ?? value["img"]);
}

function linked(component: Component): Made {
  const href = textOf(component, "href", "to", "url", "link");
  const text = component.inside.trim() || (textOf(component, "text", ...TITLES) ?? href ?? "");
  if (href === undefined) return toBlock(text, component.isAlone);
  if (/\n[ \t]*\n|^[ \t]*(?:[-*+>#]|\d+\.)[ \t]/.test(text))
    return { block: `<a href="${quote(href)}">\n\n${text}\n\n</a>` };
  const shown = text === href ? link(href, href, "markdown") : `[${text}](${target(href)})`;
  return component.isAlone ? { block: shown } : shown;
}

function target(address: string): string {
  return /[\s()<>]/.test(address) ? `<${address.replaceAll(/[\s<>]/g, (sign) => encodeURIComponent(sign))}>` : address;
}

function quote(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function boxed(component: Component, name: string): Made {
  const { inside, isAlone } = component;
  const type = textOf(component, "type", "variant", "kind", "intent", "severity", "status");
  const kind = type !== undefined && boxTitle(type, "") !== undefined ? type : name === "check" ? "success" : name;
  const title = boxWord(kind, textOf(component, ...TITLES) ?? "");
  const text = inside.trim() === "" ? (textOf(component, "text", "message", "content", "description") ?? "") : inside;
  return isAlone ? box(title, text, "markdown") : `**${title}:** ${text.trim()}`;
}

function quoted(component: Component): Made {
  const by = textOf(component, "author", "cite", "source", "by");
  const text = component.inside.trim() === "" ? (textOf(component, "quote", "text") ?? "") : component.inside;
  const whole = by === undefined ? text : `${text.trimEnd()}\n\n— ${by}`;
  return component.isAlone
    ? box("", whole, "markdown")
    : whole
        .split("\n")
        .flatMap((line) => line.trim() || [])
        .join(" ");
}

function code(component: Component): Made {
  const language = (textOf(component, "language", "lang") ?? textOf(component, "className") ?? "").replace(
    /^language-/,
    "",
  );
  const source = textOf(component, "code", "source", "children") ?? component.text;
  if (source === undefined) return toBlock(component.inside, component.isAlone);
  if (!component.isAlone && !source.includes("\n")) return inlineCode(source);
  const made = codeBlock(language, source, "markdown");
  const title = textOf(component, "title", "filename");
  return title === undefined || typeof made === "string" ? made : { block: `**${title}**\n\n${made.block}` };
}

export function inlineCode(text: string): string {
  const fence = "`".repeat(Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)) + 1);
  const gap = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${gap}${text}${gap}${fence}`;
}

function formula(component: Component, name: string): Made {
  const source = textOf(component, "math", "formula", "tex", "children") ?? component.text ?? component.inside.trim();
  const isBlock = component.isAlone && name !== "inlinemath";
  return isBlock ? { block: `$$\n${source.trim()}\n$$` } : `$${source.trim()}$`;
}

function mermaid(component: Component): Made {
  const chart = textOf(component, "chart", "value", "code") ?? component.text ?? component.inside;
  return codeBlock("mermaid", chart, "markdown");
}

function played(component: Component, host: string): Made {
  const { isAlone, inside } = component;
  const id = textOf(
    component,
    "url",
    "src",
    "href",
    "id",
    "videoId",
    "videoid",
    "youTubeId",
    "youtubeId",
    "tweetId",
    "code",
  );
  const address =
    host === "" ? addressOf(component.props.get("src") ?? component.props.get("url")) : embedAddress(host, id ?? "");
  if (address === undefined) return unknownMeaning(component);
  const title = textOf(component, "title") ?? (inside.trim() === "" ? undefined : inside.trim());
  if (title !== undefined) return toBlock(link(title, address, "markdown"), isAlone);
  return /^https?:/.test(address)
    ? embed(address, "markdown", isAlone)
    : toBlock(link(address, address, "markdown"), isAlone);
}

/** The labels that a component with tabs gives to them. */
export function tabLabels(props: ReadonlyMap<string, unknown>): { byPlace: string[]; byValue: Map<string, string> } {
  const items = props.get("items") ?? props.get("labels") ?? props.get("values");
  const byValue = new Map<string, string>();
  const byPlace: string[] = [];
  for (const item of Array.isArray(items) ? (items as unknown[]) : []) {
    const label: unknown = isRecord(item) ? (item["label"] ?? item["value"]) : item;
    if (typeof label !== "string" || label === (UNKNOWN as unknown)) continue;
    byPlace.push(label);
    if (isRecord(item) && typeof item["value"] === "string") byValue.set(item["value"], label);
  }
  return { byPlace, byValue };
}
