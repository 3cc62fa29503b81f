import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../system/errors.ts";
import { cleanSvg, isSvg } from "./svg.ts";

const XMLNS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

function cleaned(inner: string, attributes = 'width="10" height="20"'): string {
  const { svg } = cleanSvg(`<svg ${XMLNS} ${attributes}>${inner}</svg>`);
  return /^<svg [^>]*>(.*)<\/svg>$/s.exec(svg)?.[1] ?? svg;
}

test("a drawing stays as it is", () => {
  const drawing =
    '<defs><linearGradient id="g"><stop offset="0" stop-color="#f00"></stop></linearGradient></defs>' +
    '<g transform="scale(2)"><path d="M0 0L5 5" fill="url(#g)" style="stroke:red"></path><text x="1">A &amp; B</text></g>' +
    '<use xlink:href="#g"></use><use id="u" href="#u"></use><style>.a{fill:#fff}</style><image href="data:image/png;base64,AAAA"></image>';
  assert.equal(cleaned(drawing), drawing);
});

test("elements that run, link or load anything are removed", () => {
  const removed: [source: string, expected: string][] = [
    ["<script>alert(1)</script>", ""],
    ["<script xlink:href='https://evil.example/x.js'/>", ""],
    [
      "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><img src='x' onerror='alert(1)'/></body></foreignObject>",
      "",
    ],
    ["<x:script xmlns:x='http://www.w3.org/2000/svg'>alert(1)</x:script>", ""],
    ["<x:rect xmlns:x='urn:x'/>", ""],
    ["<rect onload='alert(1)' ONCLICK='a' width='1'/>", '<rect width="1"></rect>'],
    ["<a href='javascript:alert(1)'><rect/></a>", "<rect></rect>"],
    ["<use href='https://evil.example/a.svg#x'/>", "<use></use>"],
    ["<image href='https://evil.example/track.png'/>", "<image></image>"],
    ["<image href='data:image/svg+xml;base64,AAAA'/>", "<image></image>"],
    ["<rect fill='url(https://evil.example/a)'/>", "<rect></rect>"],
    ["<rect style='background:u\\72l(https://evil.example)'/>", "<rect></rect>"],
    ["<style>@import 'https://evil.example/a.css';</style>", "<style></style>"],
    ["<style><![CDATA[a{fill:url( 'https://evil.example/a')}]]></style>", "<style></style>"],
    ["<animate attributeName='href' to='javascript:alert(1)'/>", ""],
    ["<animate attributeName='onclick' to='alert(1)'/>", ""],
    ["<set attributeName='href' to='javascript:alert(1)'/>", ""],
    ["<rect xml:base='https://evil.example/'/>", "<rect></rect>"],
    ["<!-- <script>a</script> --><?xml-stylesheet href='x'?><rect/>", "<rect></rect>"],
    ["<text><![CDATA[<script>alert(1)</script>]]></text>", "<text>&lt;script&gt;alert(1)&lt;/script&gt;</text>"],
    // A nested style element must not end the check of the outer one.
    ["<style><style/>@import 'https://evil.example/a.css';</style>", "<style></style>"],
    ["<style>a{fill:red}<g><style/></g>b{fill:url(https://evil.example/a)}</style>", "<style></style>"],
    ["<iframe src='https://evil.example'/><embed src='x'/><audio src='x'/>", ""],
  ];
  for (const [source, expected] of removed) assert.equal(cleaned(source), expected, source);
  assert.doesNotMatch(cleanSvg(`<svg ${XMLNS} onload="alert(1)"/>`).svg, /onload/);
});

function size(attributes: string): [width: number, height: number] {
  const { width, height } = cleanSvg(`<svg ${XMLNS} ${attributes}/>`).facts;
  return [width, height];
}

test("the size is that of the drawing, in pixels", () => {
  assert.deepEqual(size('width="12.4" height="7px"'), [12, 7]);
  assert.deepEqual(size('width="1in" height="25.4mm"'), [96, 96]);
  assert.deepEqual(size('viewBox="0 0 40,20"'), [40, 20]);
  assert.deepEqual(size('width="100%" viewBox="0 0 40 20"'), [40, 20]);
  assert.deepEqual(size('height="10" viewBox="0 0 40 20"'), [20, 10]);
  assert.deepEqual(size(""), [300, 150]);
});

test("a file that is no SVG, or is too expensive to draw, is refused", () => {
  const copies = Array.from(
    { length: 10 },
    (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
  ).join("");
  const viaUses = Array.from(
    { length: 10 },
    (_, level) =>
      `<g id="g${level + 1}">${`<use href="#u${level}"/>`.repeat(10)}</g><use id="u${level + 1}" href="#g${level + 1}"/>`,
  ).join("");
  const refused = [
    "<svg",
    "<html xmlns='http://www.w3.org/1999/xhtml'/>",
    "<svg xmlns='http://www.w3.org/1999/xhtml'/>",
    `<svg ${XMLNS}><rect></svg>`,
    `<svg ${XMLNS}>${"<g>".repeat(300)}${"</g>".repeat(300)}</svg>`,
    `<svg ${XMLNS}>${"<g/>".repeat(100_001)}</svg>`,
    `<svg ${XMLNS} width="60000" height="60000"/>`,
    `<svg ${XMLNS}><g id="l0"/>${copies}<use href="#l10"/></svg>`,
    `<svg ${XMLNS}><g id="l0"/>${copies.replaceAll("<use ", "<use xlink:href='#none' ")}<use href="#l10"/></svg>`,
    `<svg ${XMLNS}><g id="l0"/>${copies.replaceAll("#l", "#%6c")}<use href="#l10"/></svg>`,
    `<svg ${XMLNS}><g id="u0"/>${viaUses}<use href="#u10"/></svg>`,
    `<svg ${XMLNS}><g id="a"><use href="#a"/></g></svg>`,
    `<svg ${XMLNS}><g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g></svg>`,
    `<svg ${XMLNS}>${"x".repeat(5_000_001)}</svg>`,
  ];
  for (const source of refused) {
    assert.throws(
      () => cleanSvg(source),
      (error) => error instanceof AppError && error.code === "invalid",
      source.slice(0, 80),
    );
  }
});

test("entities that a file defines expand only to their names", () => {
  const bomb = `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg ${XMLNS}><text>&b;</text></svg>`;
  assert.match(cleanSvg(bomb).svg, /<text>&amp;b;<\/text>/);
  const illustrator = `<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]><svg xmlns="&ns_svg;"><rect/></svg>`;
  assert.match(cleanSvg(illustrator).svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*><rect><\/rect><\/svg>$/);
});

test("an SVG is recognised among other texts", () => {
  assert.ok(isSvg(Buffer.from(`\uFEFF<?xml version="1.0"?><!-- a --><svg ${XMLNS}/>`)));
  assert.ok(!isSvg(Buffer.from("<html><svg></svg></html>")));
  assert.ok(!isSvg(Buffer.from("GIF89a<svg></svg>")));
});
