/** Blocks of code as other programs write them, with their languages. */

export function cleanCode(body: Element): void {
  for (const lines of body.querySelectorAll<HTMLElement>("div[style]")) {
    if (isCodeByStyle(lines)) toCode(lines, "");
  }
  for (const code of body.querySelectorAll<HTMLElement>("pre")) toCode(code, findLanguage(code));
}

/** Editors of code copy each line as an element, with the style around all of them. */
function isCodeByStyle(element: HTMLElement): boolean {
  const style = element.getAttribute("style") ?? "";
  return /white-space:\s*pre\b/.test(style) && /monospace|consolas|menlo|monaco|courier/i.test(style);
}

function toCode(element: HTMLElement, language: string): void {
  for (const line of element.querySelectorAll("br")) line.replaceWith("\n");
  for (const line of element.querySelectorAll(":scope > div:not(:last-child)")) line.append("\n");
  const code = element.ownerDocument.createElement("pre");
  code.textContent = element.textContent.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "");
  if (language !== "") code.dataset["language"] = language;
  element.replaceWith(code);
}

function findLanguage(pre: HTMLElement): string {
  const code = pre.querySelector("code");
  const written = pre.dataset["language"] ?? code?.dataset["language"] ?? pre.dataset["lang"];
  if (written !== undefined) return clean(written);
  const classes = [code?.className, pre.className, pre.parentElement?.className].filter(
    (one) => typeof one === "string",
  );
  for (const names of classes) {
    const language = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]+)/.exec(names)?.[1];
    if (language !== undefined) return clean(language);
  }
  return "";
}

function clean(language: string): string {
  return /^[\w+#.-]{1,40}$/.test(language) ? language.toLowerCase() : "";
}
