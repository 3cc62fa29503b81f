/** Front matter that YAML 1.1 and 1.2 read alike, and in which no generator finds syntax of its own. */

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Begins with a letter, and has nothing with a meaning in YAML. */
const PLAIN = /^\p{L}[\p{L}\p{M}\p{N} ,.'()!?/_-]*$/u;
/** Booleans and the like of YAML 1.1. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** What YAML calls not printable or takes for a line break. */
const UNPRINTABLE = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;
/** Before what Liquid, Nunjucks and Hugo execute. */
const BRACE = /\{(?=[{%#])/g;

/** Fields without a value are left out. Every value but a time is text. */
export function frontMatter(fields: Record<string, unknown>): string {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value == null || (Array.isArray(value) && value.length === 0)) continue;
    lines.push(Array.isArray(value) ? `${key}:` : `${key}: ${scalar(value)}`);
    if (Array.isArray(value)) for (const item of value) lines.push(`  - ${scalar(item)}`);
  }
  return `---\n${lines.join("\n")}\n---\n`;
}

function scalar(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isPlain = TIME.test(text) || UUID.test(text) || (PLAIN.test(text) && !WORD.test(text) && !text.endsWith(" "));
  return isPlain ? text : JSON.stringify(text).replaceAll(UNPRINTABLE, escaped).replaceAll(BRACE, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
