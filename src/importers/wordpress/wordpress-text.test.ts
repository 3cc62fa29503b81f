import assert from "node:assert/strict";
import { test } from "node:test";
import { wpautop } from "./wpautop.ts";
import { contentOfWordPress } from "./wordpress-text.ts";

const images = new Map([["3", { id: "3", url: "https://e.org/3.jpg", alt: "Three" }]]);
const html = (text: string): string => contentOfWordPress(text, { attachments: images }).html;

test("classic posts get their paragraphs and line breaks", () => {
  assert.equal(
    html("One\ntwo\n\nThree <b>four</b>\r\n\r\n\r\nFive"),
    "<p>One<br>\ntwo</p>\n<p>Three <b>four</b></p>\n<p>Five</p>",
  );
  assert.equal(
    html("<h2>H</h2>\nText\n<!--more-->\n\n<ul>\n<li>a\n\nb</li>\n</ul>\nEnd"),
    "<h2>H</h2>\n<p>Text<br>\n<!--more--></p>\n<ul>\n<li>a\n\nb</li>\n</ul>\n<p>End</p>",
  );
  assert.equal(
    html("<blockquote>One\n\nTwo</blockquote>\n<hr />\nThree"),
    "<blockquote>\n<p>One</p>\n<p>Two</p>\n</blockquote>\n<hr />\n<p>Three</p>",
  );
  assert.equal(
    html("Watch\n\nhttps://youtu.be/x\n\n<pre>a\n\n<b>b</b></pre>"),
    '<p>Watch</p>\n<p><a href="https://youtu.be/x">https://youtu.be/x</a></p>\n<pre>a\n\n<b>b</b></pre>',
  );
  assert.equal(wpautop("<ul><li>never closed\n\ntext"), "<ul><li>never closed\n\ntext");
});

test("marked posts get no further paragraphs, and lose their marks", () => {
  assert.equal(
    html(
      '<!-- wp:paragraph {"align":"left"} -->\n<p>One</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:html -->\n<p>Two</p>\n<!-- /wp:html -->\n',
    ),
    "<p>One</p>\n\n<p>Two</p>",
  );
  assert.equal(html("<p>One</p>\n\nTwo"), "<p>One</p>\n\nTwo");
});

test("shortcodes whose meaning is known become HTML, boxes of page builders are removed, and others stay", () => {
  assert.equal(
    html('[caption id="a" width="300"]<a href="/b"><img src="b.jpg" /></a> Words[/caption]'),
    '<figure><a href="/b"><img src="b.jpg" /></a><figcaption>Words</figcaption></figure>',
  );
  assert.equal(html('[gallery ids="3,4"]'), '<figure><img src="https://e.org/3.jpg" alt="Three"></figure>');
  assert.equal(html("[embed]https://e.org/v[/embed]"), '<p><a href="https://e.org/v">https://e.org/v</a></p>');
  assert.equal(
    html('[audio mp3="https://e.org/a.mp3"][/audio]'),
    '<p><a href="https://e.org/a.mp3">https://e.org/a.mp3</a></p>',
  );
  assert.equal(
    html('[code lang="js"]\na < b\n\nc\n[/code]'),
    '<pre><code class="language-js">a &lt; b\n\nc</code></pre>',
  );
  assert.equal(html('[vc_row][vc_column width="1/2"]Text[/vc_column][/vc_row]'), "<p>Text</p>");
  assert.equal(html("[contact-form-7 id=1] and [1]"), "<p>[contact-form-7 id=1] and [1]</p>");
});

test("images that a script would load get their address back", () => {
  assert.equal(
    html('<p><noscript><img src="/a.jpg"></noscript><img class="x" data-src="/a.jpg" alt="A"></p>'),
    '<p><img class="x" src="/a.jpg" alt="A"></p>',
  );
  assert.equal(html('<p><img src="data:image/gif;base64,R0" data-lazy-src="/a.jpg"></p>'), '<p><img src="/a.jpg"></p>');
});

const block = (name: string, settings?: object): string =>
  `<!-- wp:${name} ${settings === undefined ? "" : `${JSON.stringify(settings)} `}/-->`;

test("reusable blocks are part of the text, in each other too", () => {
  const blocks = new Map([
    ["7", `<!-- wp:paragraph -->\n<p>Notice</p>\n<!-- /wp:paragraph -->\n${block("block", { ref: 8 })}`],
    ["8", `<p>Inner</p>${block("block", { ref: 7 })}`],
  ]);
  const made = contentOfWordPress(`<p>Own</p>\n${block("block", { ref: 7 })}\n<p>End</p>`, { blocks });
  assert.deepEqual(made, { html: "<p>Own</p>\n<p>Notice</p>\n<p>Inner</p>\n<p>End</p>", doubt: null });
  const missing = contentOfWordPress(block("block", { ref: 9 }), { blocks });
  assert.deepEqual(missing, { html: "", doubt: "Its reusable blocks are not in the export (9)." });
});

test("reusable blocks that multiply end, with a doubt", () => {
  const blocks = new Map(
    Array.from({ length: 10 }, (_none, index) => [
      String(index),
      `${"x".repeat(1000)}${block("block", { ref: index + 1 }).repeat(10)}`,
    ]),
  );
  const { html: made, doubt } = contentOfWordPress(block("block", { ref: 0 }), { blocks });
  assert.ok(made.length < 6_000_000 && doubt !== null);
});

test("the words in a block's settings are in the text, with a doubt, and what WordPress shows by itself is not", () => {
  const hero = block("acf/hero", {
    name: "acf/hero",
    data: {
      headline: "Welcome",
      _headline: "field_1a",
      image: 17,
      text: "Words & <more>",
      body: "<p>In <b>HTML</b></p>",
      colour_class: "very red",
    },
    mode: "preview",
  });
  const made = contentOfWordPress(
    `<p>A</p>\n${hero}\n${block("latest-posts")}${block("navigation-link", { label: "Menu of it" })}`,
  );
  assert.deepEqual(made, {
    html: "<p>A</p>\n<p>Welcome</p>\n<p>Words &amp; &lt;more&gt;</p>\n<p>In <b>HTML</b></p>",
    doubt: "The words of some blocks come from their settings, without their form (acf/hero).",
  });
  assert.deepEqual(contentOfWordPress(block("latest-posts")), {
    html: "",
    doubt: "WordPress makes all of its text when it shows it.",
  });
  assert.equal(contentOfWordPress("").doubt, null);
});

test("footnotes stand where their block is, else at the end, and lead back", () => {
  const footnotes = JSON.stringify([{ id: "f1", content: "The <em>note</em>" }, { id: 2 }]);
  const list =
    '<ol class="wp-block-footnotes"><li id="f1">The <em>note</em> <a href="#f1-link" aria-label="Jump to footnote reference 1">↩︎</a></li></ol>';
  const mark = '<p>A<sup data-fn="f1" class="fn"><a id="f1-link" href="#f1">1</a></sup></p>';
  assert.equal(contentOfWordPress(mark, { footnotes }).html, `${mark}\n\n${list}`);
  assert.equal(
    contentOfWordPress(`${mark}\n${block("footnotes")}\n<p>B</p>`, { footnotes }).html,
    `${mark}\n${list}\n<p>B</p>`,
  );
  assert.equal(contentOfWordPress(mark, { footnotes: "{broken" }).html, mark);
});

test("a gallery and a player without files show what was uploaded to the post", () => {
  const own = ["a.jpg", "b.mp3", "c.png?x", "d.pdf"].map((name, index) => ({
    id: String(index),
    url: `https://e.org/${name}`,
    alt: undefined,
  }));
  const made = (text: string): string => contentOfWordPress(text, { own }).html;
  assert.equal(
    made("[gallery]"),
    '<figure><img src="https://e.org/a.jpg" alt=""><img src="https://e.org/c.png?x" alt=""></figure>',
  );
  assert.equal(made('[gallery exclude="0"]'), '<figure><img src="https://e.org/c.png?x" alt=""></figure>');
  assert.equal(made("[audio]"), '<p><a href="https://e.org/b.mp3">https://e.org/b.mp3</a></p>');
  assert.equal(made("[video]"), "<p>[video]</p>");
});

test("the file of a podcast is a link, once", () => {
  const enclosures = ["https://e.org/a.mp3\n123\naudio/mpeg\n", "https://e.org/a.mp3", "javascript:x()"];
  assert.equal(
    contentOfWordPress("<p>A</p>", { enclosures }).html,
    '<p>A</p>\n<p><a href="https://e.org/a.mp3">https://e.org/a.mp3</a></p>',
  );
  const there = '<p><audio src="https://e.org/a.mp3"></audio></p>';
  assert.equal(contentOfWordPress(there, { enclosures }).html, there);
});
