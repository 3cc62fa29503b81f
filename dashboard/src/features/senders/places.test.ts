import { expect, test } from "vitest";
import {
  findArticlesPlace,
  formatPlaces,
  isNameable,
  parsePlaces,
  shortenPlace,
  toArticlesPlace,
  toFieldPlace,
} from "./places.ts";

const BODY = {
  event: "publish",
  data: { articles: [{ title: "Tea", seo: { title: "Tea, brewed" }, images: [{ url: "https://x.test/a.png" }] }] },
};

test("an article in a list stands for the list, and so does the list itself", () => {
  expect(toArticlesPlace(BODY, ["data", "articles", 0])).toBe("data.articles[]");
  expect(toArticlesPlace(BODY, ["data", "articles"])).toBe("data.articles[]");
  expect(toArticlesPlace(BODY, ["data"])).toBe("data");
  expect(toArticlesPlace(BODY, [])).toBe("$");
  expect(toArticlesPlace([{ title: "Tea" }], [])).toBe("[]");
});

test("a field's place is within the articles, or in the body around a single one", () => {
  const images = ["data", "articles", 0, "images", 0, "url"];
  expect(toFieldPlace(images, "data.articles[]")).toBe("images[0].url");
  expect(toFieldPlace(images, "data.articles[0]")).toBe("images[0].url");
  expect(toFieldPlace(["event"], "$")).toBe("event");
  expect(toFieldPlace(["meta", "title"], "article")).toBe("meta.title");
  expect(toFieldPlace(["event"], "data.articles[]")).toBeUndefined();
});

test("the articles are where title and text have been found", () => {
  expect(at("data.articles[].title", "data.articles[].text.html")).toBe("data.articles[]");
  expect(at("title", "html")).toBe("$");
  expect(at("meta.title", "html")).toBe("$");
  expect(findArticlesPlace([{ field: "id", place: "id" }])).toBeUndefined();
  expect(shortenPlace("data.articles[].title", "data.articles[]")).toBe("title");
  expect(shortenPlace("header:X-Id", "data")).toBe("header:X-Id");
  expect(shortenPlace("title", "$")).toBe("title");
});

test("places are listed with commas, and the whole body is $", () => {
  expect(parsePlaces(" title, headline ,, $ ")).toEqual(["title", "headline", ""]);
  expect(formatPlaces(["title", ""])).toBe("title, $");
  expect(formatPlaces(undefined)).toBe("");
});

test("a member whose name has a dot, a bracket or a comma has no place", () => {
  expect(["meta_title", "post-title", "größe"].filter(isNameable)).toHaveLength(3);
  expect(["a.b", "a[0]", "a,b", "header:x", "", "a b"].filter(isNameable)).toEqual([]);
});

function at(title: string, html: string): string | undefined {
  return findArticlesPlace([
    { field: "title", place: title },
    { field: "html", place: html },
    { field: "id", place: "header:X-Id" },
  ]);
}
