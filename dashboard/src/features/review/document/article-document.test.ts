import { expect, test } from "vitest";
import { articleDocument, type Surroundings } from "./article-document.ts";

const AROUND: Surroundings = { scheme: "light", stylesheet: "/article.css", base: "https://example.com/blog/x" };
const source = (html: string, around: Partial<Surroundings> = {}, title = "Title") =>
  articleDocument({ title, html, imageUrl: null, imageAlt: null }, { ...AROUND, ...around });

test("nothing in it runs, loads code or leads anywhere, even if nobody had sanitised it", () => {
  const text = source(
    `<script>x</script><p onclick="x" style="color:red" id="here" name="body">a</p><a href="https://e.com" target=_top ping=/x>b</a>
     <form action="/x"><input></form><base href="//e.com"><meta http-equiv=refresh content=0><style>*{}</style><object data=x></object>
     <iframe src="https://www.youtube.com/embed/1"></iframe><video src="/v.mp4" autoplay></video><svg onload=x></svg><img name="documentElement" src=a>`,
  );
  expect(text).not.toMatch(
    /<script|onclick|onload|style=|<form|<base|http-equiv|<style|<object|<iframe|<video|name="(?:body|document)/i,
  );
  expect(text).not.toMatch(/<a[^>]* (?:href|target|ping)=/i);
  expect(text).toContain('<a title="https://e.com" class="link">b</a>');
  expect(text).toContain("Video: https://www.youtube.com/embed/1");
  expect(text.match(/id="here"/g)).toBeNull();
});

test("a title is text", () => {
  const text = source("<p>a</p>", {}, `</title><img src=x onerror=alert(1)>`);
  expect(text).not.toContain("<img");
  expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
});

test("pictures are loaded late, without telling where from, and from where the website has them", () => {
  const text = source('<p><img src="/a.png" srcset="/b.png 2x" alt="A"><img src="data:image/png;base64,AA=="></p>');
  expect(text).toContain('src="https://example.com/a.png"');
  expect(text.match(/loading="lazy"/g)?.length).toBe(2);
  expect(text.match(/referrerpolicy="no-referrer"/g)?.length).toBe(2);
  expect(text).not.toContain("srcset");
});

test("pictures are loaded through the service, inline ones are not", () => {
  const text = source('<p><img src="/a.png" alt=""><img src="data:image/png;base64,AA==" alt=""></p>', {
    pictureUrl: (address) => `/picture?url=${encodeURIComponent(address)}`,
  });
  expect(text).toContain('src="/picture?url=https%3A%2F%2Fexample.com%2Fa.png"');
  expect(text).toContain('src="data:image/png;base64,AA=="');
});

test("a picture that nobody can find is described", () => {
  expect(source('<img src="/a.png" alt="A cup">', { base: null })).toContain("Image: A cup");
  expect(source('<img src="javascript:alert(1)">')).toContain("Image: javascript:alert(1)");
});

test("the block to begin at has a name", () => {
  const text = source("<p>one</p><p>two</p>", { begin: (blocks) => blocks[1] });
  expect(text).toContain('<p id="here">two</p>');
});

test("where links open, they open in a new tab that knows nothing of this one, and lead nowhere else", () => {
  const text = source(
    `<a href="/x" target="_top" rel="opener">a</a><a href="javascript:alert(1)">b</a><a href="#n%C3%A9">c</a><p id="né">d</p>
     <a href="data:text/html,x">e</a><iframe src="https://www.youtube.com/embed/1"></iframe>`,
    { areLinksOpen: true },
  );
  const links = [...new DOMParser().parseFromString(text, "text/html").querySelectorAll("a")];
  expect(links.map((link) => [link.getAttribute("href"), link.target, link.rel])).toEqual([
    ["https://example.com/x", "_blank", "noopener noreferrer"],
    [null, "", ""],
    ["#", "", ""],
    [null, "", ""],
    ["https://www.youtube.com/embed/1", "_blank", "noopener noreferrer"],
  ]);
  expect(text).toContain('data-place="né"');
  expect(text).toContain('data-to="né"');
  expect(text).not.toMatch(/<iframe/);
});

test("changes are marked in the title, the picture and the text", () => {
  const marked = {
    title: 'New <ins data-redline="ins">title</ins>',
    image: '<figure><img src="/a.png" onerror="x"></figure>',
  };
  const text = articleDocument(
    { title: "New title", html: '<p><del data-redline="del">x</del></p>', imageUrl: null, imageAlt: null, marked },
    AROUND,
  );
  expect(text).toContain('<h1 class="title">New <ins data-redline="ins">title</ins></h1>');
  expect(text).toContain('<figure class="hero"><img src="https://example.com/a.png"');
  expect(text).not.toContain("onerror");
});
