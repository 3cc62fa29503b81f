import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../system/errors.ts";
import { throwTextLoss } from "../../text-loss.ts";
import { findLosses } from "./loss.ts";
import { sanitiseHtml } from "./sanitise.ts";
import { collectStats, visibleText } from "./text.ts";

const SENTENCE = "Oolong stands between green and black tea, and is made from the same leaves. ";
const LONG = SENTENCE.repeat(10);

function lossOf(source: string) {
  const { html, tree } = sanitiseHtml(source);
  return findLosses(source, { html, text: visibleText(collectStats(tree).blocks) }).text;
}

const made = (html: string) => ({ html, text: html.replaceAll(/<[^>]*>/g, " ") });

test("missing text is found, with its place, wherever a parser has lost it", () => {
  const source = `<p>One two three.</p><iframe src="https://www.youtube.com/embed/x" /><p>${LONG}</p>`;
  const loss = findLosses(source, made("<p>One two three.</p>")).text;
  assert.ok(loss !== null);
  assert.deepEqual([loss.missing, loss.total], [LONG.replaceAll(" ", "").length, LONG.replaceAll(" ", "").length + 12]);
  assert.equal(loss.after, "One two three.");
  assert.match(loss.lost, /^Oolong stands between/);
});

test("the error says how much is missing, from where on, and how to save nevertheless", () => {
  assert.throws(
    () => throwTextLoss({ missing: 30, total: 40, after: "One two", lost: "three four…" }),
    (error) =>
      error instanceof AppError &&
      error.code === "invalid" &&
      error.field === "accept_loss" &&
      error.message.startsWith(
        "75 % of the text would be lost (30 of 40 characters), first after “One two”: “three four…”.",
      ) &&
      /accept_loss.*--accept-loss/.test(error.message),
  );
});

const LOST: Record<string, string> = {
  "a frame with the rest of the article in it": `<p>A</p><iframe src="https://www.youtube.com/embed/x"><p>${LONG}</p></iframe>`,
  "a video with the rest of the article in it": `<p id=1>A</p><video src="/v.mp4" onplay="x()"><p>${LONG}</p></video>`,
  "an object with the rest of the article in it": `<p>A</p><object data="/a.pdf"><p>${LONG}</p></object>`,
  "an applet with the rest of the article in it": `<p>A</p><applet code="a"><p>${LONG}</p></applet>`,
  "a frame that nothing closes, before one that is closed": `<p>A</p><iframe src="/1"><p>${LONG}</p><iframe src="/2"></iframe>`,
  "a video that nothing closes, before one that is closed": `<p>A</p><video src="/1"><p>${LONG}</p><video src="/2"></video>`,
  "a quote that is missing": `<p>A <a href="https://x.example>link</a> ${LONG}</p><p>C <img src="y.png"></p>`,
  "the words of a drawing": `<p>${SENTENCE}</p><svg><title>Tea</title><text>${LONG}</text></svg>`,
  "the choices of a form": `<p>${SENTENCE}</p><form><select>${"<option>Andorra</option>".repeat(200)}</select></form>`,
  "what a form was filled in with": `<p>${SENTENCE}</p><form><textarea>${LONG}</textarea></form>`,
  "prose between the tags of a script": `A <script> tag ${LONG} ends with </script>`,
};
for (const name of "title textarea noembed noframes iframe object template select".split(" "))
  LOST[`<${name}> named in one paragraph, and its end in another`] =
    `<p>A <${name}> tag.</p><p>${LONG}</p><p>And </${name}> ends it.</p>`;
for (const [name, source] of Object.entries(LOST))
  test(`this loss is noticed: ${name}`, () => assert.ok((lossOf(source)?.missing ?? 0) > 500));

const HONEST: Record<string, string> = {
  "an article without any text": "",
  "empty paragraphs of an editor": `<p style="x">${SENTENCE}</p>${"<p>&nbsp;</p><p>&#160;&#xA0;&ensp;</p>".repeat(20)}`,
  "an article of one word": "<p>A</p>",
  "a few words less of a few": "<p>One</p><textarea>two</textarea><option>three</option>",
  "scripts, styles and data": `<p>${SENTENCE}</p><script>const a = "${LONG}";</script><style>${"p { color: red; } ".repeat(99)}</style><script type="application/ld+json">{"articleBody": "${LONG}"}</script>`,
  "bare scripts that write markup": `<p>${SENTENCE}</p><script>${"document.write('<p>Text</p>' + (a ? '<b>b</b>' : ''));\n".repeat(50)}</script>`,
  comments: `<p>${SENTENCE}</p><!-- ${LONG} -->`,
  "formulas, whose words or TeX are kept": `<p>${SENTENCE}</p><math><mi>${LONG}</mi></math><math><semantics><mi>${LONG}</mi><annotation encoding="application/x-tex">x</annotation></semantics></math>`,
  "what describes a drawing": `<p>${SENTENCE}</p><svg><title>${LONG}</title><desc>${LONG}</desc><path d="M0 0"/></svg>`,
  "a sentence for old browsers": `<p>${SENTENCE}</p><video src="/v.mp4">Your browser shows no video.</video>`,
  "a sentence for browsers that cannot show an object": `<p>${SENTENCE}</p><object data="/a.pdf"><p>Your browser shows no PDF: <a href="/a.pdf">read it here</a>.</p></object>`,
  "a video with a long text beside it, as its author wrote it": `<p>A</p><video src="/v.mp4"><p>${LONG}</p></video>`,
  "text that the author hides": `<p>${SENTENCE}</p><div hidden>${LONG}</div>`,
  "the head of a page": `<html><head><title>${LONG}</title><meta name="description" content="${LONG}"></head><body><p>${SENTENCE}</p></body></html>`,
  "long values with markup in them": `<p>${SENTENCE}</p><figure data-caption="<p>${LONG}</p>" title='a > b'><img src="a.png" alt="${LONG} > 1"></figure>`,
  "references instead of letters": `<p>${"&eacute;&#233;&nbsp;".repeat(200)}</p>`,
  "words in many elements": `<p>${"<b>a</b><i>b</i>".repeat(500)}</p>`,
};
for (const [name, source] of Object.entries(HONEST))
  test(`this is no loss: ${name}`, () => assert.equal(lossOf(source), null));

for (const [name, source] of Object.entries({
  "tags with quotes": '<a ">"'.repeat(170_000),
  "values that never end": `<a b="`.repeat(170_000),
  "values of both kinds": `<a b='><a b=">`.repeat(75_000),
  "scripts in scripts": `${"<script>".repeat(120_000)}</script>`,
  "frames in frames": `${"<iframe>".repeat(120_000)}</iframe>`,
  "comments that never end": "<!--".repeat(250_000),
  ampersands: "&".repeat(1_000_000),
}))
  test(`a megabyte of this is compared without waiting long: ${name}`, () => {
    const { text: loss } = findLosses(source, { html: "", text: "" });
    assert.ok(loss === null || loss.total <= source.length);
  });
