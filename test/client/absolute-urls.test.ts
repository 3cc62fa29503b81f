import assert from "node:assert/strict";
import { test } from "node:test";
import { absoluteUrls } from "../../client/src/site/absolute-urls.ts";

const SITE = "https://example.com/blog";

function makeAbsolute(html: string, websiteUrl = SITE): { made: string; slices: number } {
  const work = absoluteUrls(html, websiteUrl);
  for (let slices = 1; ; slices++) {
    const { done, value } = work.next();
    if (done === true) return { made: value, slices };
  }
}

test("links, pictures and media become absolute, whatever their quotes", () => {
  const pairs: [html: string, expected: string][] = [
    ['<a href="/a?b=1&amp;c=2#d">x</a>', '<a href="https://example.com/a?b=1&amp;c=2#d">x</a>'],
    ["<a href='/a' title=\"x > y\">x</a>", "<a href='https://example.com/a' title=\"x > y\">x</a>"],
    ["<A HREF=/a>x</A>", "<A HREF=https://example.com/a>x</A>"],
    ['<img alt="" src="a.png"/>', '<img alt="" src="https://example.com/blog/a.png"/>'],
    ['<img src="./a.png">', '<img src="https://example.com/blog/a.png">'],
    ['<img src="../a.png">', '<img src="https://example.com/a.png">'],
    ['<a href="?page=2">x</a>', '<a href="https://example.com/blog/?page=2">x</a>'],
    [
      '<video poster="/p.png" src="//cdn.example/v.mp4"></video>',
      '<video poster="https://example.com/p.png" src="https://cdn.example/v.mp4"></video>',
    ],
    [
      '<img srcset="/a.png 1x, b.png 2x,/c.png 3x">',
      '<img srcset="https://example.com/a.png 1x, https://example.com/blog/b.png 2x,https://example.com/c.png 3x">',
    ],
    [
      '<img srcset="/a,b.png 1x, /c.png, d.png 2x">',
      '<img srcset="https://example.com/a,b.png 1x, https://example.com/c.png, https://example.com/blog/d.png 2x">',
    ],
    ['<blockquote cite="/q">x</blockquote>', '<blockquote cite="https://example.com/q">x</blockquote>'],
  ];
  for (const [html, expected] of pairs) assert.equal(makeAbsolute(html).made, expected);
});

test("everything else stays as it is", () => {
  for (const html of [
    "",
    'Text with href="/a" &lt;a href="/a"&gt;',
    '<a href="#part">x</a><a href="https://other.example/a">x</a><a href="mailto:a@b.example">x</a>',
    '<a href="https&#58;//other.example">x</a><a href="">x</a><a href>x</a>',
    '<!-- <a href="/a"> --><p title="<a href=&quot;/a&quot;">x</p><p data-href="/a">x</p>',
    "<",
    "<a",
  ]) {
    assert.equal(makeAbsolute(html).made, html);
  }
});

test("other work gets its turn after each slice of a long text", () => {
  const texts: [html: string, expected: string][] = [
    ['<a href="/a">x</a>', '<a href="https://example.com/a">x</a>'],
    ["<b>x</b>", "<b>x</b>"],
    ["<!-- x -->", "<!-- x -->"],
  ];
  const times = 10_000;
  for (const [html, expected] of texts) {
    const { made, slices } = makeAbsolute(html.repeat(times));
    assert.ok(made === expected.repeat(times), html);
    assert.ok(slices >= Math.floor((html.length * times) / (17 * 1024)), `${slices} slices of ${html}`);
  }
  const { slices } = makeAbsolute(`<img srcset="${"/a 1x, ".repeat(times)}">`);
  assert.ok(slices >= 4, `${slices} slices of one attribute`);
});

test("the growth of a text is limited; beyond that its URLs stay as they are", () => {
  const relative = '<a href="a">x</a>';
  const long = makeAbsolute(relative.repeat(20_000), `https://example.com/${"x".repeat(2_000)}`).made;
  assert.ok(long.length <= 20_000 * relative.length + 32 * 1024 * 1024);
  assert.ok(long.startsWith('<a href="https://') && long.endsWith(relative));
});
