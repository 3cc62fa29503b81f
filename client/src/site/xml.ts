/** Characters that XML 1.0 does not allow, not even escaped (https://www.w3.org/TR/xml/#charsets). */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** @returns text that is safe inside an element or a quoted attribute. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(FORBIDDEN, "")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** @returns the element with this text, or an empty string for null. */
export function element(name: string, text: string | null | undefined): string {
  return text === null || text === undefined ? "" : `<${name}>${escapeXml(text)}</${name}>`;
}
