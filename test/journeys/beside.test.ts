/** What reviewers said stands beside the text while its author writes: ticked, answered and applied there. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { record, records } from "../helpers/http.ts";
import { until } from "../helpers/until.ts";
import type { Browser as Person } from "../people/dashboard.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";
import { caretAfter, saveAll, takenOver } from "./visual-view.ts";

const journey = shared(() => startJourney());

/** Written as few would write it, so that a rewritten block shows. */
const MARKDOWN = `The tide turns at *noon*, and nobody  waits.

Fares
-----

+ Adults pay ten.
+ Children pay ten.

${Array.from({ length: 40 }, (_, no) => `A paragraph about   sea ${no}.`).join("\n\n")}

The ferry leaves at noon.
`;

/** An article that came back with two requests and three comments: on the ferry, on children, and on the whole. */
async function sentBack(name: string) {
  const { website, ids } = await websiteWith(journey(), [{ title: "Ferries", markdown: MARKDOWN }]);
  const id = ids[0] ?? "";
  const owner = await journey().people.owner();
  const author = await journey().people.person("editor", website.id, `${name}@example.com`);
  const text = String((await reviewed(owner, id)).article["content"])
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, "");
  const comment = async (quote: string, more: object) => {
    const start = text.indexOf(quote.replaceAll(/\s+/g, ""));
    const passage = { start, end: start + quote.replaceAll(/\s+/g, "").length, quote };
    await owner.json("POST", `/articles/${id}/comments`, { text: "", passage, ...more }, 201);
  };
  await comment("leaves at noon", { replacement: "leaves at one" });
  await comment("Children pay ten", { text: "Is that right?" });
  const { line } = await reviewed(owner, id);
  const reason = "- Correct the hours.\n- Check the fares.";
  await owner.json("POST", `/articles/${id}/request-changes`, { version: line["version"], reason, comments: [] });
  return { website, id, owner, author, path: `/dashboard/articles/${id}/edit?website=${website.id}` };
}

async function threads(person: Person, id: string) {
  return records((await person.json("GET", `/articles/${id}/comments`))["threads"]);
}

const marked = (page: Page) => page.getByRole("textbox", { name: "Content" }).locator("[data-comment]");
const card = (page: Page, words: string) => page.getByRole("listitem").filter({ hasText: words }).first();

test("an author ticks, answers and applies beside the text, and resubmits from there", async () => {
  const { id, owner, author, path } = await sentBack("beside");
  await using visit = await journey().open(path, { as: author, height: 800 });
  const { page } = visit;
  await page.getByRole("tab", { name: "Feedback (2)", selected: true }).waitFor();
  await page.getByRole("checkbox", { name: "Correct the hours." }).check();
  await page.getByText("1 of 2 done").waitFor();
  await until("both passages are marked", async () => (await marked(page).count()) === 2);
  await visit.axe();

  const ferry = card(page, "leaves at one");
  await ferry.getByTitle("Show it in the text").click();
  await until("the passage is on the screen", () => isOnScreen(page, "leaves at noon"));
  await card(page, "Is that right?").getByTitle("Show it in the text").click();
  await until("the other one is on the screen", () => isOnScreen(page, "Children pay ten"));
  await ferry.and(page.locator(":not([data-active])")).waitFor();
  await page.getByTitle("Show it in the text").first().waitFor();
  await page.getByRole("tab", { name: "Details" }).click();
  await marked(page).filter({ hasText: "Children pay ten" }).click();
  await card(page, "Is that right?").and(page.locator("[data-active]")).waitFor();

  await card(page, "Is that right?").getByRole("button", { name: "Reply" }).click();
  await page.getByRole("textbox", { name: "Reply" }).fill("It is half.");
  await page.keyboard.press("Control+Enter");
  await page.getByText("It is half.").waitFor();
  // A passage is found where it has moved to.
  const content = page.getByRole("textbox", { name: "Content" });
  await content.getByText("The tide turns at").click();
  await page.keyboard.press("Home");
  await page.keyboard.type("Today: ");
  await ferry.getByRole("button", { name: "Apply" }).click();
  await content.getByText("The ferry leaves at one.").waitFor();
  await page.getByRole("tab", { name: "Feedback (1)" }).waitFor();
  await visit.axe();

  await page.getByRole("button", { name: "Resubmit" }).click();
  const question = page.getByRole("dialog", { name: "Resubmit this article?" });
  await question.getByText("Check the fares.").waitFor();
  assert.equal(await question.getByText("Correct the hours.").count(), 0);
  await question.getByRole("button", { name: "Resubmit" }).click();
  await until("it is there again", async () => (await reviewed(owner, id)).line["is_resubmitted"] === true);
  const all = await owner.json("GET", `/articles/${id}`);
  assert.equal(
    all["markdown"],
    MARKDOWN.replace("The tide", "Today: The tide").replace("leaves at noon", "leaves at one"),
    "no other byte has changed",
  );
  assert.deepEqual(
    records(record(all["request"])["items"]).map((item) => item["is_done"]),
    [true, false],
  );
  assert.equal(new URL(page.url()).pathname.endsWith("/edit"), true, "the author is still there");
  assert.ok((await threads(owner, id)).some(({ replacement, resolved }) => replacement !== null && resolved !== null));
  await visit.axe();
});

test("a suggestion whose passage is gone says so, and in the source it is applied as well, on a phone", async () => {
  const { id, owner, author, path } = await sentBack("phone");
  await using visit = await journey().open(path, { as: author, width: 390 });
  const { page } = visit;
  const content = page.getByRole("textbox", { name: "Content" });
  await until("both passages are marked", async () => (await marked(page).count()) === 2);
  await content.getByText("The ferry leaves at noon.").click({ clickCount: 3 });
  await page.keyboard.type("No ferry leaves.");
  await page.getByRole("button", { name: "Details panel" }).click();
  await page.getByRole("tab", { name: "Feedback (2)" }).click();
  const ferry = card(page, "leaves at one");
  await ferry.getByRole("button", { name: "Apply" }).click();
  await ferry.getByText("The passage is no longer in the text.").waitFor();
  assert.equal((await threads(owner, id)).filter(({ resolved }) => resolved !== null).length, 0);
  await visit.axe();

  await page.getByRole("button", { name: "Details panel" }).click();
  await content.focus();
  await page.keyboard.press("Control+z");
  await content.getByText("The ferry leaves at noon.").waitFor();
  await page.keyboard.press("Control+Shift+X");
  await page.locator(".cm-content").waitFor();
  await page.getByRole("button", { name: "Details panel" }).click();
  await ferry.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("tab", { name: "Feedback (1)" }).waitFor();
  await page.getByRole("button", { name: /^Save/ }).click();
  await until("it is saved", async () => {
    return (
      (await owner.json("GET", `/articles/${id}`))["markdown"] === MARKDOWN.replace("leaves at noon", "leaves at one")
    );
  });
});

test("a comment is begun in the editor on the selected words, which a draft copy has and the live text has not", async () => {
  const article = { title: "Tides", markdown: "The tide turns at noon.\n", status: "published" } as const;
  const { website, ids } = await websiteWith(journey(), [article]);
  const id = ids[0] ?? "";
  const editor = await journey().people.person("editor", website.id, "begins@example.com");
  const path = `/dashboard/articles/${id}/edit?website=${website.id}`;
  await using visit = await journey().open(path, { as: editor });
  const { page } = visit;
  const content = page.getByRole("textbox", { name: "Content" });
  const composer = page.getByRole("dialog", { name: "Comment" });
  await content.waitFor();
  await visit.settled();
  await caretAfter(page, content, "noon.");
  await page.keyboard.type(" Ask the harbour");
  const selectWord = async () => {
    await caretAfter(page, content, "Ask the harbour");
    await page.keyboard.press("Control+Shift+ArrowLeft");
    await takenOver(page);
  };
  await selectWord();
  await page.keyboard.press("Control+Alt+m");
  await page.getByText("Save first: the selected passage is not in the saved text yet.").waitFor();
  await saveAll(page);
  await selectWord();
  await until("the draft copy is known", async () => {
    await page.keyboard.press("Control+Alt+m");
    return composer.isVisible();
  });
  await composer.getByText("harbour", { exact: true }).waitFor();
  await composer.getByRole("textbox", { name: "Comment" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("Which one?");
  await visit.axe();
  await page.keyboard.press("Control+Enter");
  await content.and(page.locator(":focus")).waitFor();
  await marked(page).getByText("harbour", { exact: true }).waitFor();
  const [thread] = await threads(editor, id);
  assert.equal(record(thread?.["passage"])["text"], "harbour");

  // With the mouse, from the list of comments, on the whole article.
  await page.getByRole("tab", { name: "Feedback (1)" }).click();
  await page.getByRole("complementary").getByRole("button", { name: "Comment" }).click();
  await composer.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("toolbar", { name: "Formatting" }).getByRole("button", { name: "Comment" }).click();
  await composer.getByText("harbour", { exact: true }).waitFor();
});

function isOnScreen(page: Page, words: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const all = [...document.querySelectorAll("[data-comment]")];
    const { top = -1, bottom } = all.find((one) => one.textContent === ${JSON.stringify(words)})?.getBoundingClientRect() ?? {};
    return top >= 50 && bottom <= innerHeight;
  })()`);
}
