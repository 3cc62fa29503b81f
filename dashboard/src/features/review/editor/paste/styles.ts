/**
 * Makes elements of inline styles. Only their text can be read: the page's policy forbids style attributes, so that browsers leave
 * `.style` empty, also in the inert document that pasted HTML is parsed in.
 */
import { rename, unwrap } from "./elements.ts";

export function stylesToElements(body: Element): void {
  for (const element of body.querySelectorAll("b, strong")) {
    const weight = readStyle(element).get("font-weight") ?? "";
    // Headings are bold anyway.
    if (/^(?:normal|[1-4]00)$/.test(weight) || isInHeading(element)) unwrap(element);
  }
  for (const element of body.querySelectorAll("i, em")) {
    if (readStyle(element).get("font-style") === "normal") unwrap(element);
  }
  for (const element of body.querySelectorAll(TEXT)) {
    const style = readStyle(element);
    const weight = style.get("font-weight") ?? "";
    const isBold = weight === "bold" || weight === "bolder" || Number(weight) >= 600;
    if (isBold && !isInHeading(element)) wrapContent(element, "strong");
    if (/^(?:italic|oblique)/.test(style.get("font-style") ?? "")) wrapContent(element, "em");
    const line = `${style.get("text-decoration") ?? ""} ${style.get("text-decoration-line") ?? ""}`;
    if (line.includes("line-through") && element.closest("li[data-checked]") === null) wrapContent(element, "s");
  }
  for (const element of body.querySelectorAll("p.MsoQuote, p.MsoIntenseQuote"))
    rename(rename(element, "p"), "blockquote");
  for (const element of body.querySelectorAll("[style]")) element.removeAttribute("style");
}

/** What can have styles of its text, and no blocks. */
const TEXT = "span, font, a, p";

function readStyle(element: Element): Map<string, string> {
  const written = element.getAttribute("style") ?? "";
  return new Map(
    written.split(";").map((rule): [string, string] => {
      const [name = "", ...value] = rule.split(":");
      return [name.trim().toLowerCase(), value.join(":").trim().toLowerCase()];
    }),
  );
}

function isInHeading(element: Element): boolean {
  return element.closest("h1, h2, h3, h4, h5, h6") !== null;
}

function wrapContent(element: Element, name: string): void {
  if (element.textContent.trim() === "") return;
  const made = element.ownerDocument.createElement(name);
  made.append(...element.childNodes);
  element.append(made);
}
