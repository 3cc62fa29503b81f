import assert from "node:assert/strict";
import { test } from "node:test";
import { wpautop } from "./wpautop.ts";
import { contentOfWordPress } from "./wordpress-text.ts";

const images = new Map([["3", { id: "3", url: "https://e.org/3.jpg", alt: "Three" }]]);
const html = (text: string): string => contentOfWordPress(text, images);

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

test("marked posts stay as they are", () => {
  const blocks = "<!-- wp:paragraph -->\n<p>One</p>\n<!-- /wp:paragraph -->";
  assert.equal(html(`${blocks}\n\n`), blocks);
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
