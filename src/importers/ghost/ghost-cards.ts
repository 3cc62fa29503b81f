import { markdownToHtml } from "../../domain/articles/content/markdown/markdown.ts";
import { isRecord } from "../../domain/articles/json-values.ts";
import { toText } from "../import-item.ts";
import { escapeHtml } from "../html/html-tree.ts";

/** Renders the cards that Lexical and Mobiledoc share, by the names of either. `null`: unknown, or nothing to show. */
export function renderCard(type: string, card: Record<string, unknown>): string | null {
  switch (type) {
    case "html":
      return toText(card["html"]) ?? null;
    case "markdown":
      return markdownToHtml(toText(card["markdown"]) ?? "").trim();
    case "image":
      return figure(renderImage(card), card);
    case "gallery":
      return renderGallery(card);
    case "code":
    case "codeblock":
      return figure(renderCode(card), card);
    case "hr":
    case "horizontalrule":
      return "<hr>";
    case "embed":
      return figure(toText(card["html"]) ?? linkTo(card["url"]), card);
    case "bookmark":
      return renderBookmark(card);
    case "callout":
      return wrapped("blockquote", calloutText(card));
    case "button":
      return wrapped("p", linkTo(card["buttonUrl"], card["buttonText"]));
    case "toggle":
      return wrapped("details", `<summary>${toText(card["heading"]) ?? ""}</summary>${toText(card["content"]) ?? ""}`);
    case "video":
    case "audio":
    case "file":
      return wrapped("p", linkTo(card["src"], card["title"] ?? card["fileTitle"] ?? card["fileName"]));
    case "header":
      return renderHeader(card);
    case "product":
      return renderProduct(card);
    case "call-to-action":
      return joined([
        renderImage({ src: card["imageUrl"] }),
        toText(card["textValue"]),
        renderButton(card, "showButton"),
      ]);
    // What is for readers of mails, or for members: email, email-cta, paywall, signup.
    default:
      return null;
  }
}

function renderHeader(card: Record<string, unknown>): string | null {
  const image = renderImage({ src: card["backgroundImageSrc"] });
  const header = toText(card["header"]);
  const heading = header === undefined ? null : `<h2>${header}</h2>`;
  return joined([image, heading, toParagraph(card["subheader"]), renderButton(card, "buttonEnabled")]);
}

function renderProduct(card: Record<string, unknown>): string | null {
  const image = renderImage({ src: card["productImageSrc"] });
  const title = toText(card["productTitle"]);
  const button = {
    enabled: card["productButtonEnabled"],
    buttonUrl: card["productUrl"],
    buttonText: card["productButton"],
  };
  const heading = title === undefined ? null : `<h4>${title}</h4>`;
  return joined([image, heading, toText(card["productDescription"]), renderButton(button, "enabled")]);
}

function renderButton(card: Record<string, unknown>, enabled: string): string | null {
  return card[enabled] === false ? null : wrapped("p", linkTo(card["buttonUrl"], card["buttonText"]));
}

function toParagraph(value: unknown): string | null {
  return wrapped("p", toText(value) ?? null);
}

function joined(parts: (string | null | undefined)[]): string | null {
  const shown = parts.filter((part) => part != null);
  return shown.length === 0 ? null : shown.join("\n");
}

function figure(inside: string | null, card: Record<string, unknown>): string | null {
  if (inside === null) return null;
  const caption = toText(card["caption"]);
  return caption === undefined ? inside : `<figure>${inside}<figcaption>${caption}</figcaption></figure>`;
}

function renderImage(card: Record<string, unknown>): string | null {
  const src = toText(card["src"]);
  if (src === undefined) return null;
  const size = ["width", "height"].flatMap((name) =>
    typeof card[name] === "number" ? [` ${name}="${card[name]}"`] : [],
  );
  const image = `<img src="${escapeHtml(src)}" alt="${escapeHtml(toText(card["alt"]) ?? toText(card["altText"]) ?? "")}"${size.join("")}>`;
  const href = toText(card["href"]);
  return href === undefined ? image : `<a href="${escapeHtml(href)}">${image}</a>`;
}

function renderGallery(card: Record<string, unknown>): string | null {
  const images = Array.isArray(card["images"]) ? card["images"].filter(isRecord) : [];
  const shown = images.flatMap((image) => renderImage(image) ?? []);
  return shown.length === 0 ? null : figure(shown.join(""), card);
}

function renderCode(card: Record<string, unknown>): string {
  const language = toText(card["language"]);
  const classes = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
  return `<pre><code${classes}>${escapeHtml(typeof card["code"] === "string" ? card["code"] : "")}</code></pre>`;
}

function renderBookmark(card: Record<string, unknown>): string | null {
  const metadata = isRecord(card["metadata"]) ? card["metadata"] : {};
  const link = linkTo(card["url"] ?? metadata["url"], metadata["title"] ?? card["title"]);
  return figure(wrapped("p", link), card);
}

function calloutText(card: Record<string, unknown>): string | null {
  const text = toText(card["calloutText"]);
  return text === undefined ? null : `${escapeHtml(toText(card["calloutEmoji"]) ?? "")} ${text}`.trim();
}

function linkTo(url: unknown, label?: unknown): string | null {
  const href = toText(url);
  return href === undefined ? null : `<a href="${escapeHtml(href)}">${escapeHtml(toText(label) ?? href)}</a>`;
}

function wrapped(tag: string, inside: string | null): string | null {
  return inside === null ? null : `<${tag}>${inside}</${tag}>`;
}
