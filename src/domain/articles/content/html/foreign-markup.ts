/** What other programs mean by markup that an article cannot keep as it is. */
import type { Element, ElementContent, Parents } from "hast";
import { attributeText } from "./tree.ts";

/** More nesting of such elements than any program writes. */
const MAX_STYLED_DEPTH = 30;

/** Whether the element only undoes its own meaning: Google Docs puts what is copied into a `<b>` of normal weight. */
export function isPlainWrapper({ tagName, properties }: Element): boolean {
  if (properties["style"] === undefined || !EMPHASIS.has(tagName)) return false;
  const styles = readStyles(properties["style"]);
  return tagName === "b" || tagName === "strong"
    ? /^(?:normal|400)$/.test(styles.get("font-weight") ?? "")
    : styles.get("font-style") === "normal";
}

const EMPHASIS: ReadonlySet<string> = new Set(["b", "em", "i", "strong"]);
/** Without one of these words, a style says nothing that has an element. */
const TELLING = /bold|[6-9]00|italic|oblique|line-through|super|sub/i;

/** Turns a `<span>` whose style makes it bold, italic, struck, raised or lowered into the elements for that. @returns whether it did. */
export function nameStyle(node: Element, depth: number): boolean {
  if (node.tagName !== "span" || depth > MAX_STYLED_DEPTH || !TELLING.test(node.properties["style"] ?? ""))
    return false;
  if (!node.children.some((child) => child.type !== "text" || child.value.trim() !== "")) return false;
  const [outer, ...inner] = stylesToElements(readStyles(node.properties["style"]));
  if (outer === undefined) return false;
  node.tagName = outer;
  delete node.properties["style"];
  for (const tagName of inner.toReversed())
    node.children = [{ type: "element", tagName, properties: {}, children: node.children }];
  return true;
}

function stylesToElements(styles: ReadonlyMap<string, string>): string[] {
  const align = styles.get("vertical-align");
  const line = `${styles.get("text-decoration") ?? ""} ${styles.get("text-decoration-line") ?? ""}`;
  return [
    ...(/^(?:bold|bolder|[6-9]00)$/.test(styles.get("font-weight") ?? "") ? ["strong"] : []),
    ...(/^(?:italic|oblique)/.test(styles.get("font-style") ?? "") ? ["em"] : []),
    ...(line.includes("line-through") ? ["s"] : []),
    ...(align === "super" ? ["sup"] : align === "sub" ? ["sub"] : []),
  ];
}

function readStyles(style: unknown): Map<string, string> {
  const parts = String(style).toLowerCase().split(";", 50);
  return new Map(
    parts.map((part) => {
      const colon = part.indexOf(":");
      return [part.slice(0, Math.max(0, colon)).trim(), part.slice(colon + 1).trim()];
    }),
  );
}

/** AMP's pictures are pictures. */
export function nameElement(node: Element): void {
  if (node.tagName !== "amp-img" && node.tagName !== "amp-anim") return;
  node.tagName = "img";
  // The same picture, for readers without scripts.
  node.children = [];
}

/** A picture that a script loads, and its copy in the `<noscript>` beside it, become the one with the real address. */
export function uniteLazyPictures(parent: Parents): boolean {
  const { children } = parent;
  if (!children.some(isNoscript)) return false;
  const copies = new Set<unknown>();
  for (const [index, child] of children.entries()) {
    if (!isNoscript(child)) continue;
    const copy = onlyPicture(child);
    if (copy === undefined) continue;
    const beside = [neighbour(children, index, -1), neighbour(children, index, 1)];
    const lazy = beside.map((node) => (node === undefined ? undefined : onlyPicture(node)));
    const found = lazy.find((picture) => picture !== undefined && isLazyFormOf(picture, copy));
    if (found === undefined) continue;
    const { alt, title, width, height } = found.properties;
    const own = Object.entries({ alt, title, width, height }).filter(([, value]) => value !== undefined);
    found.properties = { ...Object.fromEntries(own), ...copy.properties };
    copies.add(child);
  }
  if (copies.size === 0) return false;
  parent.children = children.filter((child) => !copies.has(child)) as Element["children"];
  return true;
}

const isNoscript = (node: Parents["children"][number]): node is Element =>
  node.type === "element" && node.tagName === "noscript";

function neighbour(children: Parents["children"], index: number, step: -1 | 1): Element | undefined {
  let at = index + step;
  if (isBlank(children[at])) at += step;
  const node = children[at];
  return node?.type === "element" && node.tagName !== "noscript" ? node : undefined;
}

const isBlank = (node: Parents["children"][number] | undefined): boolean =>
  node?.type === "text" && node.value.trim() === "";

const FRAMES: ReadonlySet<string> = new Set("a figure noscript picture span".split(" "));

/** The picture that is all there is in the element. */
function onlyPicture(node: Element): Element | undefined {
  let inner: ElementContent | undefined = node;
  for (let depth = 0; depth < 5 && inner?.type === "element"; depth += 1) {
    if (inner.tagName === "img") return inner;
    if (!FRAMES.has(inner.tagName)) return undefined;
    const children: ElementContent[] = inner.children.filter(
      (child) => !isBlank(child) && !(child.type === "element" && child.tagName === "source"),
    );
    inner = children.length === 1 ? children[0] : undefined;
  }
  return undefined;
}

const LAZY = ["dataSrc", "dataLazySrc", "dataOriginal"];

function isLazyFormOf(picture: Element, copy: Element): boolean {
  const source = attributeText(picture, "src").trim();
  if (source === "" || source.startsWith("data:")) return true;
  const addresses = [source, ...LAZY.map((name) => attributeText(picture, name))];
  const real = withoutQuery(attributeText(copy, "src"));
  return addresses.some((address) => withoutQuery(address) === real);
}

function withoutQuery(address: string): string {
  return address
    .trim()
    .replace(/[?#][\s\S]*$/, "")
    .replace(/^https?:/i, "");
}
