/**
 * Builds an article as a document for a frame with `sandbox=""`: nothing in it can run, navigate or reach the dashboard. The
 * service has sanitised the HTML; what is removed here would only be blocked, or look broken.
 */

export interface ShownArticle {
  title: string;
  /** Sanitised by the service. */
  html: string;
  imageUrl: string | null;
  imageAlt: string | null;
}

export interface Surroundings {
  scheme: "light" | "dark";
  /** URL of article.css. */
  stylesheet: string;
  /** Base URL of relative image URLs; null: unknown, so a description is shown instead of the image. */
  base: string | null;
  /** Jumps to its position instead of scrolling smoothly. */
  isStill?: boolean | undefined;
  /** Picks the block at which the frame starts. */
  begin?: ((blocks: readonly Element[]) => Element | undefined) | undefined;
}

export interface ArticleDocument {
  /** The complete document, for `srcdoc`. */
  source: string;
  /** Estimated height of the text in a column of `COLUMN_PX`, in pixels. */
  height: number;
}

/** The ID of the element at which a frame starts: `about:srcdoc#here`. */
export const HERE = "here";
/** Distance of the anchors `y0`, `y1`, … to which a frame can be scrolled by fragment. See article.css. */
export const STEP_PX = 40;
const COLUMN_PX = 640;

export function articleDocument(article: ShownArticle, around: Surroundings): ArticleDocument {
  const page = document.implementation.createHTMLDocument(article.title);
  const root = page.documentElement;
  // A document without a window loads and runs nothing; names in the article cannot shadow its properties.
  const body = page.createElement("div");
  body.innerHTML = article.html;
  disarm(body, around.base);
  const blocks = [...body.querySelectorAll(BLOCKS)];
  around.begin?.(blocks)?.setAttribute("id", HERE);
  const height = measureHeight(body);
  root.dataset["scheme"] = around.scheme;
  if (around.isStill === true) root.dataset["still"] = "";
  page.head.append(
    element(page, "meta", { name: "color-scheme", content: around.scheme }),
    element(page, "meta", { name: "referrer", content: "no-referrer" }),
    element(page, "link", { rel: "stylesheet", href: around.stylesheet }),
  );
  const shown = element(page, "article", { dir: "auto" });
  const heading = element(page, "h1", { class: "title" });
  heading.textContent = article.title;
  const hero = createHero(page, article, around.base);
  shown.append(heading, ...(hero === null ? [] : [hero]), ...body.childNodes);
  page.body.append(shown, marks(page, height));
  return { source: `<!doctype html>${root.outerHTML}`, height };
}

const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, tr, figcaption, dt, dd";
/** Elements that are never part of an article. */
const FOREIGN = "script, style, link, meta, base, object, embed, form, frame, frameset, template";

function disarm(body: HTMLElement, base: string | null): void {
  for (const foreign of body.querySelectorAll(FOREIGN)) foreign.remove();
  for (const one of body.querySelectorAll("*")) {
    for (const name of one.getAttributeNames()) {
      // An ID could collide with ours.
      if (name.startsWith("on") || name === "style" || name === "id" || name === "name") one.removeAttribute(name);
    }
  }
  for (const link of body.querySelectorAll("a, area")) {
    const href = link.getAttribute("href");
    for (const name of ["href", "target", "ping", "download"]) link.removeAttribute(name);
    // Links show their target on hover, and still look like links.
    if (href !== null) {
      link.setAttribute("title", href);
      link.classList.add("link");
    }
  }
  for (const media of body.querySelectorAll("iframe, video, audio")) media.replaceWith(describe(media));
  for (const source of body.querySelectorAll("picture > source")) source.remove();
  for (const image of body.querySelectorAll("img")) setPicture(image, base);
}

/** Only images are loaded: other media are replaced by a description. */
function describe(media: Element): HTMLElement {
  const address = media.getAttribute("src") ?? media.querySelector("source")?.getAttribute("src") ?? "";
  const kind = media.localName === "audio" ? "Audio" : "Video";
  return box(media.ownerDocument, `${kind}: ${address === "" ? "without an address" : address}`);
}

function setPicture(image: HTMLImageElement, base: string | null): void {
  const address = pictureAddress(image.getAttribute("src") ?? "", base);
  for (const name of ["srcset", "sizes", "usemap", "crossorigin"]) image.removeAttribute(name);
  if (address === null) {
    const alt = image.getAttribute("alt") ?? "";
    image.replaceWith(box(image.ownerDocument, `Image: ${alt === "" ? (image.getAttribute("src") ?? "") : alt}`));
    return;
  }
  image.setAttribute("src", address);
  image.setAttribute("loading", "lazy");
  image.setAttribute("decoding", "async");
  image.setAttribute("referrerpolicy", "no-referrer");
}

/** null if the URL is unknown. */
function pictureAddress(src: string, base: string | null): string | null {
  const url = URL.parse(src.trim(), base ?? undefined);
  if (url === null || src.trim() === "") return null;
  return ["http:", "https:"].includes(url.protocol) || /^data:image\//i.test(url.href) ? url.href : null;
}

function createHero(page: Document, { imageUrl, imageAlt }: ShownArticle, base: string | null): HTMLElement | null {
  if (imageUrl === null) return null;
  const figure = element(page, "figure", { class: "hero" });
  const image = page.createElement("img");
  image.setAttribute("src", imageUrl);
  image.setAttribute("alt", imageAlt ?? "");
  figure.append(image);
  setPicture(image, base);
  return figure;
}

function box(page: Document, text: string): HTMLElement {
  const shown = element(page, "span", { class: "box" });
  shown.textContent = text;
  return shown;
}

function element(page: Document, name: string, attributes: Record<string, string>): HTMLElement {
  const made = page.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A column of anchors somewhat taller than the article; the part below its end is clipped. */
function marks(page: Document, height: number): HTMLElement {
  const column = element(page, "div", { class: "marks", "aria-hidden": "true" });
  const most = Math.min(Math.ceil((height * 2) / STEP_PX) + 50, 5_000);
  for (let step = 0; step <= most; step++) column.append(element(page, "i", { id: `y${step}` }));
  return column;
}

const CHARACTER_PX = 8.6;
const LINE_PX = 29;
const BLOCK_GAP_PX = 20;
const TITLE_PX = 120;
const PICTURE_PX = 400;

function measureHeight(body: HTMLElement): number {
  let height = TITLE_PX;
  for (const block of body.querySelectorAll(BLOCKS)) {
    const text = block.textContent ?? "";
    const lines =
      block.localName === "pre" ? text.split("\n").length : Math.ceil((text.length * CHARACTER_PX) / COLUMN_PX);
    height += lines * LINE_PX + BLOCK_GAP_PX;
  }
  return height + body.querySelectorAll("img, .box").length * PICTURE_PX;
}
