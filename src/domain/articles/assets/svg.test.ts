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

const RECTS = (attributes: string) => `<rect ${attributes}/>`.repeat(20);

/** Definitions of which each is drawn with the one before it, twenty times. */
function nested(toDefinition: (level: number) => string): string {
  return Array.from({ length: 8 }, (_, level) => toDefinition(level + 1)).join("");
}

test("patterns, masks and the like that contain each other are refused, however they are referred to", () => {
  const patterns = (inner: (level: number) => string, attributes = (_level: number) => "") =>
    nested(
      (level) => `<pattern id="p${level}" width="1" height="1" ${attributes(level)}>${inner(level - 1)}</pattern>`,
    );
  const refused: Record<string, string> = {
    attribute: patterns((level) => RECTS(`fill="url(#p${level})"`)),
    quoted: patterns((level) => RECTS(`stroke="url('#p${level}')"`)),
    encoded: patterns((level) => RECTS(`fill="url(#%70${level})"`)),
    style: patterns((level) => RECTS(`style="opacity:1; FILL:url(#p${level})"`)),
    inherited: patterns(
      () => RECTS(""),
      (level) => `fill="url(#p${level - 1})"`,
    ),
    class:
      patterns((level) => RECTS(`class="a b${level}"`)) +
      nested((level) => `<style>g, .b${level}{fill:url(#p${level})}</style>`),
    "style sheet":
      patterns((level) => `<g id="g${level}">${RECTS("")}</g>`) +
      nested((level) => `<style>@media all{#g${level} > rect:not(.x){fill:url(#p${level})}}</style>`),
    "nested rule":
      patterns((level) => `<g class="g${level}">${RECTS("")}</g>`) +
      nested((level) => `<style>.g${level}{opacity:1;&amp; rect{fill:url(#p${level})}}</style>`),
    commented:
      patterns((level) => RECTS(`class="b${level}"`)) +
      nested((level) => `<style>/* it's } */.b${level}{/*"*/fill:url(#p${level})}</style>`),
    copies: `<g id="all">${RECTS("")}</g>${patterns((level) => `<use href="#all" fill="url(#p${level})"/>`)}`,
    template:
      patterns((level) => `<pattern id="t${level}">${RECTS(`fill="url(#q${level})"`)}</pattern>`) +
      nested((level) => `<pattern id="q${level}" href="#t${level}"/>`),
    masks: nested((level) => `<mask id="p${level}">${RECTS(`mask="url(#p${level - 1})"`)}</mask>`),
    markers: nested((level) => `<marker id="p${level}">${RECTS(`marker-start="url(#p${level - 1})"`)}</marker>`),
    filters: nested(
      (level) =>
        `<g id="i${level}">${RECTS(`filter="url(#p${level - 1})"`)}</g><filter id="p${level}"><feImage href="#i${level}"/></filter>`,
    ),
    "many in one": `<g id="p8">${"<rect/>".repeat(1_000)}</g>${"<use href='#p8'/>".repeat(300)}`,
  };
  for (const [name, drawing] of Object.entries(refused)) {
    const source = `<svg ${XMLNS} width="9" height="9">${drawing}<rect fill="url(#p8)" mask="url(#p8)" marker-end="url(#p8)" filter="url(#p8)" class="a b8"/><g id="g8" class="g8"><rect/></g><rect fill="url(#q7)"/></svg>`;
    assert.throws(() => cleanSvg(source), /draws too many elements|contain themselves/, name);
  }
});

/** Two markers, of which the second is drawn with the first. */
function marked(toShape: (level: number) => string): string {
  return `<defs>${[1, 2].map((no) => `<marker id="m${no}">${toShape(no - 1)}</marker>`).join("")}</defs>${toShape(2)}`;
}

test("markers count once for each vertex that they are drawn at", () => {
  const points = Array.from({ length: 1_000 }, (_, no) => `${no % 100},${no % 7}`).join(" ");
  const line = `M${points}`;
  const rules = [1, 2].map((no) => `.m${no}{marker-mid:url(#m${no})}`).join("");
  const refused: Record<string, string> = {
    polylines: marked((no) => `<polyline points="${points}" marker-mid="url(#m${no})"/>`),
    paths: marked((no) => `<path d="${line}" style="marker:url(#m${no})"/>`),
    horizontal: marked((no) => `<path d="M0 0${"h1".repeat(1_000)}" marker-mid="url(#m${no})"/>`),
    "style sheet": `<style>${rules}</style>${marked((no) => `<polygon points="${points}" class="m${no}"/>`)}`,
    inherited: marked((no) => `<g marker-mid="url(#m${no})"><g><polyline points="${points}"/></g></g>`),
    copies: `<polyline id="p" points="${points}"/>${marked((no) => `<use href="#p" marker-mid="url(#m${no})"/>`)}`,
    animated: marked(
      (no) =>
        `<polyline marker-mid="url(#m${no})"><animate attributeName="points" values="${points};${points}"/></polyline>`,
    ),
  };
  for (const [name, drawing] of Object.entries(refused)) {
    assert.throws(() => cleaned(drawing), /draws too many elements/, name);
  }
  const arrows = `<marker id="m"><path d="M0 0L9 9"/></marker><polyline points="${points}" marker-mid="url(#m)"/>`;
  assert.match(cleaned(arrows.repeat(20)), /^<marker/);
  // Vertices of a style sheet would not be counted.
  const css = `<style>.a{d:path("${line}");fill:red}</style>`;
  assert.equal(cleaned(`${css}<path style="d:path('${line}')"/>`), "<style></style><path></path>");
});

test("filters keep to amounts that a browser computes quickly", () => {
  assert.equal(
    cleaned(
      '<filter><feTurbulence numOctaves="1000000"/><feTurbulence numOctaves="3"/><feMorphology radius="9999 2"/><feGaussianBlur stdDeviation="1e9"/></filter>',
    ),
    '<filter><feTurbulence numOctaves="10"></feTurbulence><feTurbulence numOctaves="3"></feTurbulence><feMorphology radius="100 2"></feMorphology><feGaussianBlur stdDeviation="500"></feGaussianBlur></filter>',
  );
  assert.equal(cleaned('<animate attributeName="numOctaves" values="1;1000000"/>'), "");
});

test("what could disguise a reference in CSS is removed", () => {
  for (const css of [`--a: url(#p)`, `fill: url(#a;b)`, `content: "}"; fill: url(#p)`, `content: "; fill: url(#p)`]) {
    assert.equal(cleaned(`<rect style='${css}'/>`), "<rect></rect>", css);
    assert.equal(cleaned(`<style>rect{${css}}</style>`), "<style></style>", css);
  }
  assert.equal(
    cleaned(`<animate attributeName="fill" values="url(#a);url(#b)"/>`),
    '<animate attributeName="fill"></animate>',
  );
});

test("drawings with many gradients, clips, masks and symbols are accepted", () => {
  const classes = Array.from(
    { length: 300 },
    (_, no) => `.c${no}{fill:url(#g${no});clip-path:url(#k${no})}.m rect{mask:url(#m)}`,
  );
  const definitions = Array.from(
    { length: 300 },
    (_, no) =>
      `<linearGradient id="g${no}" href="#g0">${"<stop/>".repeat(20)}</linearGradient><clipPath id="k${no}"><rect class="x"/></clipPath>`,
  );
  const shapes = Array.from({ length: 20_000 }, (_, no) => `<path class="c${no % 300} d"/>`);
  const drawing = `<defs><style>${classes.join("")}</style>${definitions.join("")}<mask id="m"><rect/></mask>
    <symbol id="s">${"<path/>".repeat(50)}</symbol></defs><g filter="url(#none)" class="m"><rect/>${shapes.join("")}</g>
    ${'<use href="#s" fill="red"/>'.repeat(1_000)}<path id="w"><animateMotion><mpath href="#w"/></animateMotion></path>`;
  assert.match(cleaned(drawing), /^<defs>/);
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
