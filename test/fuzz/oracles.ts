/** What must hold of every answer, whatever was sent. Each throws an AssertionError that says what does not. */
import assert from "node:assert/strict";
import { fromParse5 } from "hast-util-from-parse5";
import { parseFragment } from "parse5";
import type { Element, Nodes } from "hast";
import { VIDEO_HOSTS } from "../../src/domain/articles/content/html/schema.ts";
import type { Reply } from "../helpers/http.ts";

/** Of programs, not of people: none belongs into an answer. */
const INNARDS = /node_modules|\.ts:\d+|SQLITE_|sqlite3?:|at Object\.|at async |pg_catalog|ECONNREFUSED/;

/** No fault of ours: 503 says that the service is busy. What was refused is refused in a sentence. */
export function assertSound(reply: Reply, what: string): void {
  assert.ok(reply.status < 500 || reply.status === 503, `${what} is ${reply.status}: ${reply.text.slice(0, 500)}`);
  if (reply.status < 400 || reply.text === "") return;
  assert.doesNotMatch(reply.text, INNARDS, `${what} shows what is inside`);
  const body: unknown = /json/.test(String(reply.headers["content-type"])) ? reply.json() : undefined;
  if (typeof body !== "object" || body === null || !("message" in body)) return;
  assert.match(String(body.message), /\S.*[.!?)]$/s, `${what} has no sentence: ${String(body.message)}`);
}

/** None of the secrets stands in the text. */
export function assertSilent(text: string, secrets: ReadonlyMap<string, string>, what: string): void {
  for (const [name, secret] of secrets) assert.ok(!text.includes(secret), `${what} shows ${name}`);
}

const FORBIDDEN = new Set([
  "script",
  "style",
  "object",
  "embed",
  "applet",
  "form",
  "base",
  "meta",
  "link",
  "title",
  "template",
]);

/** Nothing in the markup runs in a reader's page, loads a foreign page, or sends something away. */
export function assertHarmless(html: string, what: string): void {
  visit(fromParse5(parseFragment(html, { scriptingEnabled: false })), (element) => {
    assert.ok(!FORBIDDEN.has(element.tagName), `${what} has <${element.tagName}>: ${html}`);
    for (const [name, value] of Object.entries(element.properties)) {
      assert.doesNotMatch(name, /^(on|srcdoc|formAction|style$)/i, `${what} has ${name}: ${html}`);
      const address = (Array.isArray(value) ? value.join(" ") : String(value)).replaceAll(/[\s\p{Cc}]/gu, "");
      assert.doesNotMatch(address, /^(javascript|vbscript|data:text)/i, `${what} has ${name}=${address}: ${html}`);
    }
    if (element.tagName === "iframe") {
      const { protocol, host } = new URL(String(element.properties["src"]), "https://www.example.com/");
      assert.ok(protocol === "https:" && VIDEO_HOSTS.has(host), `${what} frames ${host}: ${html}`);
    }
  });
}

function visit(node: Nodes, see: (element: Element) => void): void {
  if (node.type === "element") see(node);
  if ("children" in node) for (const child of node.children) visit(child, see);
  if (node.type === "element" && node.tagName === "template" && "content" in node && node.content)
    visit(node.content, see);
}
