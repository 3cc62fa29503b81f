import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Element, ElementContent, Parents, Root } from "hast";
import { randomNumbers } from "../../../../../bench/statistics.ts";
import { hostileTexts } from "../../../../../test/helpers/hostile-texts.ts";
import { markup } from "../../../../../test/fuzz/markup.ts";
import { cases, fc, IS_THOROUGH } from "../../../../../test/helpers/properties.ts";
import { AppError } from "../../../system/errors.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { sanitiseHtml } from "../html/sanitise.ts";
import { parseTree, serialise } from "../html/tree.ts";
import { redline } from "./redline.ts";
import { normalise } from "./units.ts";

const article = (html: string, title = "T") => ({ title, html, imageUrl: null, imageAlt: null });
const compare = (before: string, after: string) => redline(article(before), article(after));
const marked = (before: string, after: string) => compare(before, after).html;

/** Accepts or rejects all marks of the written HTML, by their attributes alone. */
function settle(html: string, isAccepted: boolean): string {
  const tree = parseTree(html);
  settleChildren(tree, isAccepted);
  return serialise(tree);
}

function settleChildren(parent: Parents, isAccepted: boolean): void {
  const gone = isAccepted ? "del" : "ins";
  const settled: ElementContent[] = [];
  for (const child of parent.children) {
    if (child.type !== "element") {
      settled.push(child as ElementContent);
      continue;
    }
    const { dataRedline: mark, dataRedlineBlock: block, dataRedlineWas: was, ...properties } = child.properties;
    if (mark === "note" || mark === gone || block === gone) continue;
    settleChildren(child, isAccepted);
    if (mark === "ins" || mark === "del") settled.push(...child.children);
    else if (typeof was === "string" && !isAccepted) {
      const { tag, properties } = JSON.parse(was) as { tag: string; properties: Element["properties"] };
      settled.push({ ...child, tagName: tag, properties });
    } else settled.push({ ...child, properties });
  }
  parent.children = settled;
}

const readable = (html: string) => serialise(normalise(sanitiseHtml(html).tree));

function assertReversible(before: string, after: string): void {
  const html = marked(before, after);
  assert.equal(settle(html, true), readable(after));
  assert.equal(settle(html, false), readable(before));
}

const ins = (html: string) => `<ins data-redline="ins">${html}</ins>`;
const del = (html: string) => `<del data-redline="del">${html}</del>`;
const note = (text: string) => `<span data-redline="note">${text}</span>`;

const table = (...rows: string[]) =>
  `<table><caption>Prices</caption><tbody>${rows.map((row) => `<tr>${row}</tr>`).join("")}</tbody></table>`;
const inPre = (space: string) => `<pre><table>${space}<tbody><tr><td>x  y</td></tr></tbody></table></pre>`;
const link = (href: string) => `<p>See <a href="${href}">the tides</a> today.</p>`;

describe("a redline", () => {
  test("marks words and leaves the rest", () => {
    assert.equal(
      marked("<p>The quick brown fox.</p>", "<p>The slow brown fox.</p>"),
      `<p>The ${del("quick")}${ins("slow")} brown fox.</p>`,
    );
    assert.equal(marked("<p>One.</p>", "<p>One.</p>"), "<p>One.</p>");
    const { insertedWords, deletedWords } = compare("<p>a b c</p>", "<p>a b c d e</p>");
    assert.deepEqual([insertedWords, deletedWords], [2, 0]);
  });

  test("marks a sentence that was replaced as one, not word by word", () => {
    assert.equal(
      marked(
        "<p>Keep this first sentence. We went to the harbour at noon.</p>",
        "<p>Keep this first sentence. Ships of the line were at anchor.</p>",
      ).match(/<ins/g)?.length,
      1,
    );
  });

  test("marks blocks that exist in one text only", () => {
    assert.equal(
      marked("<p>One and two.</p>\n<p>Gone for good.</p>", "<p>One and two.</p>\n<h2>Quite new</h2>"),
      `<p>One and two.</p><p data-redline-block="del">${del("Gone for good.")}</p>` +
        `<h2 data-redline-block="ins">${ins("Quite new")}</h2>`,
    );
  });

  test("keeps the cells of a table below each other", () => {
    assert.equal(
      marked(table("<td>Tea</td><td>10</td><td>20</td>"), table("<td>Tea</td><td>20</td><td>30</td>")),
      table(`<td>Tea</td><td>${del("10")}${ins("20")}</td><td>${del("20")}${ins("30")}</td>`),
    );
    assert.equal(
      marked(table("<td>a b c</td>"), table("<td>a b c</td>", "<td>new</td>").replace("Prices", "Old prices")),
      "<table><caption>" +
        `${del("Prices")}${ins("Old prices")}</caption><tbody><tr><td>a b c</td></tr>` +
        `<tr data-redline-block="ins"><td data-redline-block="ins">${ins("new")}</td></tr></tbody></table>`,
    );
  });

  test("describes in words what the text does not show", () => {
    const html = marked(link("https://a.example/"), link("https://b.example/"));
    assert.match(html, /Link: “https:\/\/a\.example\/” → “https:\/\/b\.example\/”<\/span> today/);
    assert.match(
      marked('<figure><img src="/a.png" alt="A"></figure>', '<figure><img src="/b.png" alt="A"></figure>'),
      /<del data-redline="del"><img src="\/a\.png" alt="A"><span data-redline="note">Picture removed: \/a\.png<\/span><\/del><ins/,
    );
    assert.match(
      marked('<p>x <img src="/a.png" alt="A"></p>', '<p>x <img src="/a.png" alt="B"></p>'),
      new RegExp(note("Alternative text: “A” → “B”")),
    );
    assert.match(
      marked("<h2>The whole tide table</h2>", "<h3>The whole tide table</h3>"),
      /<h3 data-redline-was="[^"]*">The whole tide table<span data-redline="note">Heading 2 → Heading 3<\/span><\/h3>/,
    );
    const unseen = compare('<p class="a">One two three.</p>', '<p class="b">One two three.</p>');
    assert.equal(unseen.unseenChanges, 1);
    assert.doesNotMatch(unseen.html, /note|<ins|<del/);
  });

  test("shows the title and the featured image", () => {
    const before = { title: "Tea & <b>", html: "", imageUrl: "https://e.example/a.png", imageAlt: "A" };
    const made = redline(before, { ...before, title: "Tea & <i>", imageUrl: null });
    assert.equal(made.title, `Tea &amp; &lt;${del("b")}${ins("i")}&gt;`);
    assert.match(made.image, /^<figure data-redline-block="del"><del data-redline="del"><img src="https:\/\/e/);
  });

  test("compares texts without white space by their characters", () => {
    assert.equal(
      marked("<p>我们喜欢喝茶。</p>", "<p>我们喜欢喝水。</p>"),
      `<p>我们喜欢喝${del("茶")}${ins("水")}。</p>`,
    );
  });

  test("ignores what no reader sees", () => {
    assert.equal(marked("<p>a  b</p>\n\n<!-- c --><p>d</p>", "<p>a\nb</p><p>d</p>"), "<p>a b</p><p>d</p>");
    assert.match(marked("<pre>a  b</pre>", "<pre>a b</pre>"), /<del/);
    assert.equal(marked(inPre("\n\n"), inPre("")), inPre(""));
  });
});

const CORPORA = join(import.meta.dirname, "../../../../../../shared/corpora");
const DEMO = join(import.meta.dirname, "../../../../../demo/articles");

function readArticles(): string[] {
  const folders = [DEMO, ...["rust-blog", "v8-blog"].map((name) => join(CORPORA, name))].filter(existsSync);
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  );
  const sources = files.map((file) => readFileSync(file, "utf8").replace(/^(---|\+\+\+)\n[\s\S]*?\n\1\n/, ""));
  return sources.filter((source) => source.length < 30_000);
}

describe("accepting all marks gives the new text, rejecting them the old one", () => {
  const sources = readArticles();

  test("holds for edits of articles", () => {
    const count = IS_THOROUGH ? 5_000 : cases(300);
    for (let seed = 0; seed < count; seed++) {
      const next = randomNumbers(seed);
      const pick = () => sanitiseHtml(renderMarkdown(sources[Math.floor(next() * sources.length)] ?? "").html).html;
      const before = pick();
      const tree = sanitiseHtml(before).tree;
      const other = sanitiseHtml(pick()).tree;
      for (let edits = Math.ceil(next() * 8); edits > 0; edits--) edit(tree, other, next);
      const after = sanitiseHtml(serialise(tree)).html;
      try {
        assertReversible(before, after);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });

  test("holds for any markup", () => {
    fc.assert(
      fc.property(markup, markup, (before, after) => {
        let clean: string[];
        try {
          clean = [before, after].map((html) => sanitiseHtml(html).html);
        } catch (error) {
          if (error instanceof AppError) return;
          throw error;
        }
        assertReversible(clean[0] ?? "", clean[1] ?? "");
        assertReversible(clean[0] ?? "", `${clean[0] ?? ""}${clean[1] ?? ""}`);
      }),
      { numRuns: IS_THOROUGH ? 20_000 : cases(600) },
    );
  });

  test("holds for texts that were made to be slow, and nothing else is in the result", () => {
    const texts = hostileTexts([cases(20_000)], randomNumbers).filter(({ field }) => field !== null);
    let last = "<p>x</p>";
    for (const { field, text, name } of texts) {
      try {
        const { html } = sanitiseHtml(field === "markdown" ? renderMarkdown(text).html : text);
        const shown = marked(last, html);
        assert.equal(settle(shown, true), readable(html), name);
        assertHarmless(shown);
        last = html;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    }
  });
});

/** Asserts that the sanitiser would remove nothing but the marks. */
function assertHarmless(html: string): void {
  const unmarked = html.replaceAll(/ data-redline(?:-block|-was)?="[^"]*"/g, "");
  assert.deepEqual(sanitiseHtml(unmarked).removed, []);
}

/** Changes the tree at some place, as authors and programs do. */
function edit(tree: Root, other: Root, next: () => number): void {
  const places = listElements(tree);
  const place = places[Math.floor(next() * places.length)];
  const index = Math.floor(next() * (place?.children.length ?? 0));
  if (place === undefined) return;
  const child = place.children[index];
  const foreign = other.children[Math.floor(next() * other.children.length)];
  const way = Math.floor(next() * 9);
  if (way === 0) place.children.splice(index, 1);
  else if (way === 1 && foreign !== undefined)
    tree.children.splice(Math.floor(next() * tree.children.length), 0, structuredClone(foreign));
  else if (way === 2 && child !== undefined) place.children.splice(index, 0, structuredClone(child) as never);
  else if (way === 3 && child !== undefined) place.children.push(...(place.children.splice(index, 1) as never[]));
  else if (way === 4 && child?.type === "element") place.children.splice(index, 1, ...(child.children as never[]));
  else if (way === 5 && child?.type === "element")
    child.properties = next() < 0.5 ? {} : { ...child.properties, title: "t", href: "/x", alt: "z" };
  else if (way === 6 && child?.type === "text") {
    place.children[index] = { type: "element", tagName: "em", properties: {}, children: [child] };
  } else if (way === 7 && child?.type === "element") {
    const names: Record<string, string> = {
      p: "h3",
      h2: "p",
      ul: "ol",
      ol: "ul",
      td: "th",
      strong: "b",
      div: "section",
    };
    child.tagName = names[child.tagName] ?? child.tagName;
  } else if (child?.type === "text") {
    const words = child.value.split(" ");
    words.splice(
      Math.floor(next() * words.length),
      Math.ceil(next() * 3),
      ...(next() < 0.6 ? ["quite", "another"] : []),
    );
    child.value = words.join(" ");
  }
}

function listElements(parent: Parents): Parents[] {
  return [parent, ...parent.children.flatMap((child) => (child.type === "element" ? listElements(child) : []))];
}
