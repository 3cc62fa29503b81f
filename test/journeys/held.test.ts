/** A source brings what was also changed here: compared and applied on the article's page. */
import { Readable } from "node:stream";
import type { ArticleInput } from "../../src/domain/articles/article.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { listArticles, updateArticle } from "../../src/operations/articles/write/articles.ts";
import { CHIEF } from "../helpers/articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

test("held changes are found in their list, compared, applied to the draft copy, and gone", async () => {
  const { app } = journey().service;
  const website = await journey().service.newWebsite({ name: "Held" });
  const bring = (input: ArticleInput) =>
    importArticles(app, website.id, Readable.from([{ kind: "draft" as const, source: "a.md", ref: "a.md", input }]), {
      events: false,
      dryRun: false,
      actor: { ...CHIEF, id: "import" },
    });
  const post: ArticleInput = { title: "Soft water", status: "published", content: "<p>The original text.</p>" };
  await bring(post);
  const [article] = await Array.fromAsync(listArticles(app, website.id));
  await updateArticle(app, article?.id ?? "", { content: "<p>The corrected text.</p>" }, CHIEF);
  await bring({ ...post, content: "<p>The second text.</p>" });

  const { open, people } = journey();
  await using visit = await open(`/dashboard/articles?view=held&website=${website.id}`, { as: await people.owner() });
  const { page } = visit;
  await page.getByRole("link", { name: "Soft water" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "Changes from a.md are held" });
  await notice.waitFor();
  await visit.axe();
  await notice.getByRole("button", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare: Soft water" });
  await dialog.locator("iframe").contentFrame().locator("ins", { hasText: "second" }).waitFor();
  await dialog.getByText("1 word added; 1 word removed.").waitFor();
  await dialog.getByText("Held changes (a.md)").waitFor();
  await dialog.getByText("Markdown", { exact: true }).click();
  await dialog.getByRole("table").locator("ins", { hasText: "second" }).waitFor();
  await visit.axe();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await notice.getByRole("button", { name: "Apply" }).click();
  await page.getByText("There is a draft copy").waitFor();
  await notice.waitFor({ state: "hidden" });
});
