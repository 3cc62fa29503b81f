/** The visual view of the editor. */
import type { Locator, Page } from "playwright-core";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { record } from "../helpers/http.ts";
import { websiteWith } from "./articles.ts";
import type { Journey, VisitOptions } from "./browser.ts";

/** An article that an editor of its own edits. `saved`: the text that the page sent last. */
export async function openEditor(
  journey: Journey,
  text: Pick<ArticleInput, "markdown" | "content">,
  name: string,
  options: VisitOptions = {},
) {
  const { website, ids } = await websiteWith(journey, [{ title: "An article", ...text }]);
  const id = ids[0] ?? "";
  const editor = await journey.people.person("editor", website.id, `${name}@example.com`);
  const path = `/dashboard/articles/${id}/edit?website=${website.id}`;
  const visit = await journey.open(path, { ...options, as: editor });
  const content = visit.page.getByRole("textbox", { name: "Content" });
  await content.waitFor();
  await visit.settled();
  let sent = "";
  visit.page.on("request", (request) => {
    if (request.method() !== "PATCH") return;
    const changes = record(record(JSON.parse(request.postData() ?? "{}"))["changes"]);
    const written = changes["markdown"] ?? changes["content"];
    if (typeof written === "string") sent = written;
  });
  return { visit, page: visit.page, content, website, editor, saved: () => sent };
}

/** Puts the caret behind a text. */
export async function caretAfter(page: Page, content: Locator, text: string): Promise<void> {
  await content.focus();
  await page.evaluate(`(() => {
    const field = document.activeElement;
    const sought = ${JSON.stringify(text)};
    const walker = document.createTreeWalker(field, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.nodeValue.indexOf(sought);
      if (at === -1) continue;
      field.focus();
      getSelection().collapse(node, at + sought.length);
      return;
    }
    throw new Error("There is no " + sought);
  })()`);
  await takenOver(page);
}

/** The editor takes selections and input over from the browser in later events. */
export async function takenOver(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
}

export async function saveAll(page: Page): Promise<void> {
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved at/).waitFor();
}
