import assert from "node:assert/strict";
import { test } from "node:test";
import { sanitiseHtml } from "./sanitise.ts";

const html = (source: string): string => {
  const once = sanitiseHtml(source).html;
  assert.equal(sanitiseHtml(once).html, once);
  return once;
};
const each = (cases: Record<string, [source: string, expected: string]>): void => {
  for (const [name, [source, expected]] of Object.entries(cases))
    test(name, () => assert.equal(html(source), expected));
};
const link = (url: string, text = url): string => `<a href="${url}">${text}</a>`;

each({
  "what Google Docs wraps in a bold element of normal weight is not bold": [
    '<meta charset="utf-8"><b id="docs-internal-guid-1" style="font-weight:normal;"><p style="line-height:1.4"><span style="font-weight:400;font-style:normal">Plain</span></p></b>',
    "<p><span>Plain</span></p>",
  ],
  "an element of normal style does not emphasise": [
    '<p><em style="font-style: normal">a</em> <strong style="font-weight:400">b</strong> <b style="color:red">c</b></p>',
    "<p>a b <b>c</b></p>",
  ],
  "a style that emphasises becomes an element": [
    '<p><span class="x" style="font-weight:700">a</span> <span style="font-style:italic; FONT-WEIGHT: Bold">b</span> <span style="text-decoration:line-through">c</span> x<span style="font-size:0.6em;vertical-align:super">2</span> <span style="font-weight:700"> </span></p>',
    '<p><strong class="x">a</strong> <strong><em>b</em></strong> <s>c</s> x<sup>2</sup> <span> </span></p>',
  ],
  "a lazy picture and its copy for readers without scripts are one": [
    '<figure><img class="lazyload" src="data:image/gif;base64,R0" data-src="/a.jpg" alt="A" width="3"><noscript><img src="/a.jpg" srcset="/a.jpg 1x, /b.jpg 2x"></noscript></figure>',
    '<figure><img alt="A" width="3" src="/a.jpg" srcset="/a.jpg 1x, /b.jpg 2x"></figure>',
  ],
  "so they are with the copy first, in a link, and with a smaller size": [
    '<p><noscript><img src="https://e.org/a.jpg" alt="A"></noscript> <a href="/x"><img data-src="//e.org/a.jpg?w=30" src="/grey.png"></a></p>',
    '<p> <a href="/x"><img src="https://e.org/a.jpg" alt="A"></a></p>',
  ],
  "another picture for readers without scripts stays": [
    '<p><img src="/a.jpg"><noscript><img src="/b.jpg"></noscript></p>',
    '<p><img src="/a.jpg"><img src="/b.jpg"></p>',
  ],
  "a picture of AMP is a picture": [
    '<amp-img src="/a.jpg" width="3" height="2" alt="A" layout="fill"><noscript><img src="/a.jpg"></noscript></amp-img>',
    '<img src="/a.jpg" width="3" height="2" alt="A">',
  ],
  "players that a script draws become links": [
    '<p>A</p><amp-youtube data-videoid="a_-1"></amp-youtube><lite-vimeo videoid="2"></lite-vimeo><x-player src="https://e.org/v"></x-player>',
    `<p>A</p><p>${link("https://www.youtube.com/watch?v=a_-1")}</p><p>${link("https://vimeo.com/2")}</p><p>${link("https://e.org/v")}</p>`,
  ],
  "scripts that write what they show become links, and others are removed": [
    '<figure><script src="//gist.github.com/u/1.js?file=a"></script></figure><script src="https://e.org/x.js"></script>',
    `<figure>${link("https://gist.github.com/u/1")}</figure>`,
  ],
  "objects and frames of other websites become links": [
    '<p>A <iframe src="https://e.org/map" title="Map"></iframe></p><object data="https://e.org/a.swf"><embed src="/b"></object><embed src="https://e.org/c">',
    `<p>A ${link("https://e.org/map", "Map")}</p><p>${link("https://e.org/a.swf")}</p><p>${link("https://e.org/c")}</p>`,
  ],
  "elements that a script fills become links": [
    '<div class="fb-post" data-href="https://e.org/p"></div><div class="fb-like" data-href="https://e.org/"></div><div data-url="https://e.org/q">b</div>',
    `<div class="fb-post">${link("https://e.org/p")}</div><div class="fb-like"></div><div>b</div>`,
  ],
  "what is embedded to count readers, or without an address on the web, is removed": [
    '<noscript><iframe src="https://e.org/ns.html?id=1" height="0" width="0" style="display:none"></iframe></noscript><iframe src="about:blank"></iframe><iframe src="javascript:x()"></iframe><iframe src="https://a.org@e.org/"></iframe><lite-youtube videoid="a/../b"></lite-youtube>',
    "",
  ],
  "a link stays one, and parts of a table and of a list are not among links": [
    '<a href="/x">A <b><iframe src="https://e.org/"></iframe></b></a><table><script src="https://gist.github.com/u/1.js"></script><tbody><tr><td>b</td></tr></tbody></table>',
    '<a href="/x">A <b></b></a><table><tbody><tr><td>b</td></tr></tbody></table>',
  ],
});

test("schemes are in any case", () => {
  const source =
    '<p onclick="x()"><a href="Https://e.org/A">a</a><a href="MAILTO:A@e.org">b</a><img src="HTTP://e.org/a.png"><a href="JavaScript:x()">c</a></p>';
  assert.equal(
    html(source),
    '<p><a href="https://e.org/A">a</a><a href="mailto:A@e.org">b</a><img src="http://e.org/a.png"><a>c</a></p>',
  );
});
