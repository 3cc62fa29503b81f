import assert from "node:assert/strict";
import { test } from "node:test";
import type { Parents } from "hast";
import { cases, fc } from "../../../../../test/helpers/properties.ts";
import { sanitiseHtml } from "./sanitise.ts";
import { tableOfContents, type TocEntry } from "./toc.ts";
import { attributeText, parseTree, textContent } from "./tree.ts";

function contents(html: string): TocEntry[] {
  const work = tableOfContents(html);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The same from the whole tree. */
function fromTree(parent: Parents): TocEntry[] {
  return parent.children.flatMap((child) => {
    if (child.type !== "element") return [];
    if (!/^h[1-6]$/.test(child.tagName)) return fromTree(child);
    const text = textContent(child);
    if (text === "" || child.properties["hidden"] === true) return [];
    return { level: Number(child.tagName[1]), text, id: attributeText(child, "id") || null };
  });
}

test("headings are listed with level, text and their id", () => {
  const html =
    '<h1 id="user-content-a">A &amp; <em>b</em>&eacute;</h1><p>x</p><!-- h2 --><H2 CLASS=c\nid=user-content-d>\n two\n lines </H2>' +
    '<h3 title="a > b"></h3><h4 hidden>never seen</h4><header>x</header><div><h6>deep<br>er</h6></div><hr>';
  assert.deepEqual(contents(html), [
    { level: 1, text: "A & bé", id: "user-content-a" },
    { level: 2, text: "two lines", id: "user-content-d" },
    { level: 6, text: "deep er", id: null },
  ]);
});

test("the headings of any sanitised text are those of its tree", () => {
  const piece = fc.constantFrom(
    "<h1>",
    "</h1>",
    '<h2 id="a">',
    "</h2>",
    "<h3 hidden>",
    "</h3>",
    "<H6 title='x>y'>",
    "</H6>",
    "<hr>",
    "<div>",
    "</div>",
    "<ul><li>",
    "</ul>",
    "<!-- c -->",
    "&lt;h1&gt;",
    "tea",
    " < ",
    "<em>",
    "</em>",
  );
  const text = fc.array(piece, { maxLength: 25 }).map((pieces) => sanitiseHtml(pieces.join("")).html);
  fc.assert(
    fc.property(text, (html) => assert.deepEqual(contents(html), fromTree(parseTree(html)))),
    { numRuns: cases(5_000) },
  );
});

test("long contents are read in slices, even with a tag across their border, up to 1,000 headings", () => {
  const filling = "x".repeat(64 * 1024 - 2);
  assert.deepEqual(
    contents(`${filling}<h2>one</h2>${filling}</h3><h3>two</h3>`).map(({ text }) => text),
    ["one", "two"],
  );
  assert.equal(contents("<h2>a</h2>".repeat(5_000)).length, 1_000);
  const [first] = contents(`<h2>${"<b>tea</b> ".repeat(100_000)}</h2>`);
  assert.ok(first !== undefined && first.text.length > 1_000 && first.text.length < 4_000);
});
