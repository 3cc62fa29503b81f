/** Somebody without an account reviews a text by a link. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { until } from "../helpers/until.ts";
import { reviewed, websiteWith } from "./articles.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(() => startJourney());

for (const width of [1280, 390]) {
  test(`a guest without an account requests changes and then approves a text, at ${width} px`, async () => {
    const { website, ids } = await websiteWith(journey(), [
      { title: "Tides", markdown: "High at noon.", language: "en-IE" },
    ]);
    const id = ids[0] ?? "";
    const owner = await journey().people.owner();
    await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner, width });
    const { page } = visit;
    await visit.settled();
    if (width < 1024) await page.getByRole("tab", { name: "Details" }).click();
    await page.getByRole("button", { name: "Review link" }).click();
    const dialog = page.getByRole("dialog", { name: "Review links" });
    await dialog.getByLabel("For whom").fill("Maria");
    await dialog.getByRole("button", { name: "Create link" }).click();
    const link = dialog.getByRole("textbox", { name: "Review link" });
    await dialog.getByText(/^Maria, valid until/).waitFor();
    await visit.axe();
    const { pathname, hash } = new URL(await link.inputValue());

    await using guest = await journey().open("/dashboard/review", { width });
    const asked: string[] = [];
    guest.page.on("request", (request) => asked.push(request.url()));
    await guest.page.getByRole("heading", { name: "This link is not valid" }).waitFor();
    await guest.axe();
    await guest.page.goto(`${journey().service.url}${pathname}${hash}`);
    await guest.page.reload();
    await guest.page.frameLocator("iframe").getByText("High at noon.").waitFor();
    await guest.page.getByText(/asks you to review this text/).waitFor();
    await guest.page
      .getByRole("heading", { name: "Tides" })
      .and(guest.page.locator("[lang=en-IE][dir=auto]"))
      .waitFor();
    await guest.page.frameLocator("iframe").locator("html[lang=en-IE] article[dir=auto]").waitFor();
    await guest.axe();
    await guest.page.getByRole("button", { name: "Request changes" }).click();
    await guest.page.getByText("Enter your name.").waitFor();
    await guest.page.getByLabel("Your name").fill("Maria");
    await guest.page.getByLabel("What should change?").fill("Which harbour?");
    await guest.page.getByRole("button", { name: "Request changes" }).click();
    await guest.page.getByText(/You have asked for changes/).waitFor();
    await guest.axe();
    await until(
      "the request is with the article",
      async () => (await reviewed(owner, id)).line["review_state"] === "changes_requested",
    );
    await page.keyboard.press("Escape");
    await page.getByText(/Maria, guest invited by Olga requested changes/).waitFor();

    const apis = asked.map((url) => new URL(url).pathname).filter((path) => path.startsWith("/dashboard/api"));
    assert.deepEqual([...new Set(apis)].toSorted(), [
      "/dashboard/api/guest-review",
      "/dashboard/api/guest-review/decision",
    ]);
    assert.equal(
      asked.some((url) => url.includes(hash.slice(1)) && !url.endsWith(hash)),
      false,
      "the token is in no address",
    );

    const { line } = await reviewed(owner, id);
    await owner.json("POST", `/articles/${id}/submit`, { version: Number(line["version"]) });
    await guest.page.reload();
    await guest.page.getByLabel("Your name").fill("Maria");
    await guest.page.getByRole("button", { name: "Approve" }).click();
    await guest.page.getByText("You have approved this text.").waitFor();
    assert.equal((await reviewed(owner, id)).line["status"], "approved");

    await page.getByRole("button", { name: "Review link" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText(/^Maria, valid until/).waitFor({ state: "detached" });
    await guest.page.reload();
    await guest.page.getByRole("heading", { name: "This link is not valid" }).waitFor();
  });
}

const HOSTILE = `<img src=x onerror=alert(1)> <script>alert(2)</script> javascript:alert(3)`;

/** The words that are marked in the article. */
const MARKED = `(() => {
  const view = document.querySelector("iframe").contentWindow;
  return [...(view.CSS.highlights.get("comment") ?? [])].map(String).join();
})()`;

async function holds(field: Locator, value: string): Promise<void> {
  await field.waitFor();
  await until("the field has the text", async () => (await field.inputValue()) === value);
}

for (const width of [1280, 390]) {
  test(`a guest comments on a passage, is answered, and answers, at ${width} px`, async () => {
    const { website, ids } = await websiteWith(journey(), [
      { title: "Tides", markdown: "High at noon.\n\nLow at six." },
    ]);
    const id = ids[0] ?? "";
    const owner = await journey().people.owner();
    const { token } = await owner.json("POST", `/articles/${id}/review-links`, {}, 201);
    await using guest = await journey().open(`/dashboard/review#${String(token)}`, { width });
    const { page } = guest;
    await page.frameLocator("iframe").getByText("Low at six.").waitFor();
    const offer = page.getByRole("button", { name: "Comment", exact: true });
    await until("the selected words can be commented on", async () => {
      await page.frameLocator("iframe").getByText("Low at six.").selectText();
      return (await offer.count()) === 2;
    });
    await offer.last().click();
    const mine = page.getByRole("region", { name: "Your review" });
    await mine.getByText("Low at six.").waitFor();
    await page.locator("textarea:focus").waitFor();
    await mine.getByLabel("Comment").fill(`At seven? ${HOSTILE}`);
    await page.getByLabel("What should change?").fill("Not sent yet.");
    await mine.getByRole("button", { name: "Send" }).click();
    await page.getByText("Enter your name.").waitFor();
    await guest.axe();
    await page.getByLabel("Your name").fill("Maria");

    // Another tab of the browser shows the unsent text, too.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("region", { name: "Your review" }).getByText("Low at six.").waitFor();
    await holds(other.getByLabel("Comment"), `At seven? ${HOSTILE}`);
    await holds(other.getByLabel("Your name"), "Maria");
    await holds(other.getByLabel("What should change?"), "Not sent yet.");
    await other.close();

    await mine.getByRole("button", { name: "Send" }).click();
    await mine.getByText("<script>alert(2)</script>").waitFor();
    await until("the passage is marked", async () => (await page.evaluate(MARKED)) === "Low at six.");
    await guest.axe();

    await using visit = await journey().open(`/dashboard/articles/${id}?website=${website.id}`, { as: owner, width });
    await visit.settled();
    await visit.page.getByRole("tab", { name: "Comments (1)" }).click();
    const thread = visit.page.getByRole("listitem").filter({ hasText: "At seven?" }).first();
    await thread.getByText("Maria, guest invited by Olga").waitFor();
    await thread.getByText("Guest", { exact: true }).waitFor();
    await thread.getByText("<script>alert(2)</script>").waitFor();
    await thread.getByRole("button", { name: "Reply" }).click();
    await thread.getByLabel("Reply, which the guest sees").fill("Yes, seven.");
    await visit.axe();
    await thread.getByRole("button", { name: "Reply" }).click();
    await thread.getByText("Yes, seven.").waitFor();

    await page.reload();
    await mine.getByText("Yes, seven.").waitFor();
    assert.equal(await page.getByLabel("Your name").inputValue(), "Maria");
    await mine.getByRole("button", { name: "Reply" }).click();
    await mine.getByLabel("Reply").fill("Thank you.");
    await page.reload();
    await holds(mine.getByLabel("Reply"), "Thank you.");
    await holds(page.getByLabel("What should change?"), "Not sent yet.");
    await mine.getByRole("button", { name: "Send" }).click();
    await thread.getByText("Thank you.").waitFor();
    await thread.getByRole("button", { name: "Resolve" }).click();
    await page.reload();
    await mine.getByText("Resolved", { exact: true }).waitFor();
    assert.equal(await page.evaluate(MARKED), "");
    await guest.axe();

    const { line } = await reviewed(owner, id);
    await owner.json("PATCH", `/articles/${id}`, { version: Number(line["version"]), changes: { title: "Ebb" } });
    await page.reload();
    await holds(page.getByLabel("Your unsent text"), "Not sent yet.");
    await guest.axe();
  });
}
