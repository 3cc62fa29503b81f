/**
 * Builds an article as a document for a sandboxed frame: nothing in it can run, or navigate the dashboard. The service has
 * sanitised the HTML; what is removed here would only be blocked, or look broken.
 */

export interface FramedArticle {
  /** Empty: there is no heading. */
  title: string;
  /** Sanitised by the service. */
  html: string;
  imageUrl: string | null;
  imageAlt: string | null;
  /** Title and image with the service's marks of what changed; `html` then has marks, too. */
  marked?: { title: string; image: string } | undefined;
}

export interface Surroundings {
  scheme: "light" | "dark";
  /** URL of article.css. */
  stylesheet: string;
  /** Base URL for relative URLs; null if unknown, in which case a description is shown instead of an image. */
  base: string | null;
  /** Returns the URL from which to load a picture. */
  pictureUrl?: ((address: string) => string) | undefined;
  /** The frame is as high as its document, so the document never scrolls. */
  isFullHeight?: boolean | undefined;
  /** The page shows the title itself, unless its changes are marked. */
  isHeadless?: boolean | undefined;
  /** Whether links open in a new tab; otherwise they do nothing. */
  areLinksOpen?: boolean | undefined;
  /** Jumps to its position instead of scrolling smoothly. */
  isStill?: boolean | undefined;
  /** Picks the block at which the frame starts. */
  begin?: ((blocks: readonly Element[]) => Element | undefined) | undefined;
}

/** The ID of the element at which a frame starts: `about:srcdoc#here`. */
export const HERE = "here";

/** The complete document, for `srcdoc`. */
export function articleDocument(article: FramedArticle, around: Surroundings): string {
  const page = document.implementation.createHTMLDocument(article.title);
  const root = page.documentElement;
  const body = parse(page, article.html, around);
  const blocks = [...body.querySelectorAll(BLOCKS)];
  around.begin?.(blocks)?.setAttribute("id", HERE);
  root.dataset["scheme"] = around.scheme;
  if (around.isStill === true) root.dataset["still"] = "";
  if (around.isFullHeight === true) root.dataset["full"] = "";
  page.head.append(
    element(page, "meta", { name: "color-scheme", content: around.scheme }),
    element(page, "meta", { name: "referrer", content: "no-referrer" }),
    element(page, "link", { rel: "stylesheet", href: around.stylesheet }),
  );
  const shown = element(page, "article", { dir: "auto" });
  const isHeadless = around.isHeadless === true;
  if (isHeadless) root.dataset["headless"] = "";
  if (!isHeadless || article.marked?.title.includes("data-redline") === true) {
    // The page's own heading is the only one of the first level.
    const heading = element(page, isHeadless ? "p" : "h1", { class: "title" });
    if (article.marked === undefined) heading.textContent = article.title;
    else heading.append(...parse(page, article.marked.title, around).childNodes);
    if (article.title !== "" || article.marked !== undefined) shown.append(heading);
  }
  shown.append(...createHero(page, article, around), ...body.childNodes);
  page.body.append(shown);
  return `<!doctype html>${root.outerHTML}`;
}

/** The beginning of the text, for the page itself: as inert as in a frame, and its links lead nowhere. */
export function firstBlocks(
  html: string,
  around: Pick<Surroundings, "base" | "pictureUrl">,
  count: number,
): readonly Element[] {
  return [...parse(document.implementation.createHTMLDocument(), html, around).children].slice(0, count);
}

const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, tr, figcaption, dt, dd";
/** Elements that are never part of an article. */
const FOREIGN = "script, style, link, meta, base, object, embed, form, frame, frameset, template";

/** A document without a window loads and runs nothing; names in the article cannot shadow its properties. */
function parse(page: Document, html: string, around: Around): HTMLElement {
  const parsed = page.createElement("div");
  parsed.innerHTML = html;
  disarm(parsed, around);
  return parsed;
}

type Around = Pick<Surroundings, "base" | "pictureUrl" | "areLinksOpen">;

function disarm(body: HTMLElement, { base, areLinksOpen = false, pictureUrl }: Around): void {
  for (const foreign of body.querySelectorAll(FOREIGN)) foreign.remove();
  for (const one of body.querySelectorAll("*")) {
    const place = one.id;
    for (const name of one.getAttributeNames()) {
      // An ID could collide with ours.
      if (name.startsWith("on") || name === "style" || name === "id" || name === "name") one.removeAttribute(name);
    }
    if (place !== "") one.setAttribute("data-place", place);
  }
  for (const link of body.querySelectorAll("a, area")) {
    const href = link.getAttribute("href");
    for (const name of ["href", "target", "ping", "download", "rel"]) link.removeAttribute(name);
    if (href === null) continue;
    // Links show their target on hover, and still look like links.
    link.setAttribute("title", href);
    link.classList.add("link");
    if (areLinksOpen) openLink(link, href, base);
  }
  for (const media of body.querySelectorAll("iframe, video, audio")) media.replaceWith(describe(media, areLinksOpen));
  for (const source of body.querySelectorAll("picture > source")) source.remove();
  for (const paragraph of body.querySelectorAll("p:has(> img ~ img)"))
    if (isRow(paragraph)) paragraph.setAttribute("data-row", "");
  for (const image of body.querySelectorAll("img")) setPicture(image, base, pictureUrl);
}

/** Schemes of links that may be opened. */
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Opens the link in a new tab that cannot access this page or learn its URL. A link within the article scrolls to its target. */
function openLink(link: Element, href: string, base: string | null): void {
  if (href.startsWith("#")) {
    link.setAttribute("data-to", decodeFragment(href.slice(1)));
    link.setAttribute("href", "#");
    return;
  }
  const url = URL.parse(href, base ?? undefined);
  if (url === null || !SCHEMES.has(url.protocol)) return;
  link.setAttribute("href", url.href);
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Only images are loaded. Other media are replaced by a description with a link. */
function describe(media: Element, isOpen: boolean): HTMLElement {
  const address = media.getAttribute("src") ?? media.querySelector("source")?.getAttribute("src") ?? "";
  const kind = media.localName === "audio" ? "Audio" : "Video";
  const page = media.ownerDocument;
  const made = box(page, `${kind}: ${address === "" ? "without an address" : address}`);
  if (isOpen && /^https?:/i.test(address)) {
    const link = element(page, "a", { class: "link" });
    openLink(link, address, null);
    link.textContent = `Open the ${kind.toLowerCase()} in a new tab`;
    made.append(page.createElement("br"), link);
  }
  return made;
}

function setPicture(image: HTMLImageElement, base: string | null, pictureUrl: Surroundings["pictureUrl"]): void {
  const address = pictureAddress(image.getAttribute("src") ?? "", base);
  for (const name of ["srcset", "sizes", "usemap", "crossorigin"]) image.removeAttribute(name);
  if (address === null) {
    const alt = image.getAttribute("alt") ?? "";
    image.replaceWith(box(image.ownerDocument, `Image: ${alt === "" ? (image.getAttribute("src") ?? "") : alt}`));
    return;
  }
  image.setAttribute("src", address.startsWith("data:") ? address : (pictureUrl?.(address) ?? address));
  image.setAttribute("data-address", address);
  image.setAttribute("loading", "lazy");
  image.setAttribute("decoding", "async");
  image.setAttribute("referrerpolicy", "no-referrer");
}

/** Pictures that cannot be loaded say so, with their addresses. @returns a function that stops it. */
export function describeBroken(shown: Document): () => void {
  const replace = (image: Element | null) => {
    const address = image?.getAttribute("data-address") ?? null;
    if (image === null || address === null) return;
    image.replaceWith(box(shown, brokenPicture(image.getAttribute("alt") ?? "", address)));
  };
  const onError = ({ target }: Event) => replace(target as Element | null);
  for (const image of shown.images) if (image.complete && image.naturalWidth === 0) replace(image);
  // Errors of pictures do not bubble.
  shown.addEventListener("error", onError, { capture: true });
  return () => shown.removeEventListener("error", onError, { capture: true });
}

export function brokenPicture(alt: string, address: string): string {
  const where = address.startsWith("data:") ? "in the text itself" : address;
  return `This picture cannot be loaded: ${alt === "" ? where : `${alt} (${where})`}`;
}

/** Whether the paragraph has pictures and nothing else. */
function isRow({ childNodes }: Element): boolean {
  return [...childNodes].every((child) => child.nodeName === "IMG" || child.textContent?.trim() === "");
}

/** null if the URL is unknown. */
export function pictureAddress(src: string, base: string | null): string | null {
  const url = URL.parse(src.trim(), base ?? undefined);
  if (url === null || src.trim() === "") return null;
  return ["http:", "https:"].includes(url.protocol) || /^data:image\//i.test(url.href) ? url.href : null;
}

function createHero(page: Document, { imageUrl, imageAlt, marked }: FramedArticle, around: Surroundings): Element[] {
  if (marked !== undefined) {
    const figures = [...parse(page, marked.image, around).children];
    for (const figure of figures) figure.classList.add("hero");
    return figures;
  }
  if (imageUrl === null) return [];
  const figure = element(page, "figure", { class: "hero" });
  const image = page.createElement("img");
  image.setAttribute("src", imageUrl);
  image.setAttribute("alt", imageAlt ?? "");
  figure.append(image);
  setPicture(image, around.base, around.pictureUrl);
  return [figure];
}

function box(page: Document, text: string): HTMLElement {
  const shown = element(page, "span", { class: "box", "data-described": "" });
  shown.textContent = text;
  return shown;
}

function element(page: Document, name: string, attributes: Record<string, string>): HTMLElement {
  const made = page.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
