import { expect, test } from "vitest";
import { listLinks } from "./list-links.ts";

test("each page that an article links to is listed once, with its absolute address", () => {
  const html = `<p><a href="/tea#hot">a</a> <a href="/tea">b</a> <a href="#part">c</a> <a>d</a>
    <a href="mailto:x@example.com">e</a> <a href="javascript:alert(1)">f</a> <a href="https://other.example/?a=1&amp;b=2">g</a>
    <a href="http://[">h</a> <img src="/x.png" onerror="alert(1)"><script>document.title = "taken"</script></p>`;
  expect(listLinks(html, "https://example.com/blog/")).toEqual([
    "https://example.com/tea",
    "https://other.example/?a=1&b=2",
  ]);
  expect(listLinks(html, null)).toEqual(["https://other.example/?a=1&b=2"]);
  expect(document.title).not.toBe("taken");
});
