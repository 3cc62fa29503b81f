/** The overview: waiting articles, the schedule, requests and deliveries. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { shared, test } from "./journeys.ts";
import { startWorld } from "./world.ts";

const world = shared(startWorld);

const OVERVIEW = "/dashboard/";

test("the longest waiting article comes first, and reviewing starts there", async () => {
  const { journey, owner } = world();
  const { waiting, counts } = await owner.json("GET", `/overview?website_id=${journey.website.id}`);
  assert.ok(Array.isArray(waiting) && waiting.length > 0);
  await using visit = await journey.open(OVERVIEW, { as: owner });
  const { page } = visit;
  const oldest = String((waiting[0] as { title: unknown }).title);
  const section = page.getByRole("region", { name: "Waiting longest" });
  assert.equal(await section.getByRole("link").first().innerText(), oldest);
  await page.getByRole("link", { name: "Start reviewing" }).click();
  await page.getByRole("heading", { level: 1, name: oldest }).waitFor();
  const { in_review: pending } = counts as { in_review: number };
  await page.getByText(`1 of ${pending}`).waitFor();
});

test("the numbers lead to their lists", async () => {
  const { journey, owner } = world();
  await using visit = await journey.open(OVERVIEW, { as: owner });
  const { page } = visit;
  await visit.settled();
  for (const name of ["To review", "Approved", "Scheduled", "Published", "Draft copies"]) {
    // The list's own navigation is named “Articles by status”.
    const tile = page.getByRole("navigation", { name: "Articles", exact: true }).getByRole("link", { name });
    const count = (await tile.innerText()).replace(/\D/g, "");
    await tile.click();
    await page.getByRole("link", { name: new RegExp(`^${name}\\s*${count}$`), exact: true }).waitFor();
    await page.getByText(`1–${count} of ${count}`).waitFor();
    await page.goBack();
  }
});

test("an hour's numbers are read by keyboard and by pointer, and stand in a table for those who listen", async () => {
  const { journey, owner } = world();
  await using visit = await journey.open(OVERVIEW, { as: owner });
  const { page } = visit;
  const deliveries = page.getByRole("slider", { name: /^Deliveries/ });
  // A failed delivery may be retried at any moment.
  const all = /^24 hours: [1-9]\d* delivered, \d+ retried, \d+ exhausted$/;
  assert.match(String(await deliveries.getAttribute("aria-valuetext")), all);
  await deliveries.focus();
  await page.keyboard.press("ArrowLeft");
  const last = await deliveries.getAttribute("aria-valuetext");
  assert.match(String(last), /^\d\d:00: \d+ delivered/);
  await page.keyboard.press("Home");
  assert.equal(await deliveries.getAttribute("aria-valuenow"), "1");
  assert.match(String(await deliveries.getAttribute("aria-valuetext")), /: 0 delivered, 0 retried, 0 exhausted$/);
  await page.keyboard.press("Tab");
  assert.match(String(await deliveries.getAttribute("aria-valuetext")), all);
  const table = page.getByRole("table", { name: "Deliveries" });
  assert.equal(await table.getByRole("row").count(), 25);
  await visit.axe();
});

test("a webhook in trouble is named, with the way to it", async () => {
  const { journey, owner, webhooks } = world();
  await using visit = await journey.open(OVERVIEW, { as: owner });
  const { page } = visit;
  await page.getByRole("status").getByRole("link", { name: "View the webhook" }).click();
  await until("it is there", () => new URL(page.url()).pathname.endsWith(webhooks.failing));
});

test("nothing moves while the page loads", async () => {
  const { journey, owner } = world();
  for (const width of [1280, 390]) {
    await using visit = await journey.open(OVERVIEW, { as: owner, width });
    await visit.settled();
    assert.ok((await shift(visit.page)) < 0.02, `${await shift(visit.page)} at ${width} px`);
  }
});

test("a viewer sees the numbers and no decisions", async () => {
  const { journey } = world();
  const viewer = await journey.people.person("viewer", journey.website.id, "overlooking@example.com");
  await using visit = await journey.open(OVERVIEW, { as: viewer });
  const { page } = visit;
  await page.getByRole("region", { name: "Recently published" }).getByRole("link").first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Start reviewing" }).count(), 0);
  assert.equal(
    await page
      .getByRole("main")
      .getByRole("link", { name: /^(All|Keys|View the webhook)$/ })
      .count(),
    0,
  );
  await visit.axe();
});

test("an empty website says how to begin", async () => {
  const { journey, owner } = world();
  const { id } = await journey.service.newWebsite({ name: "Empty" });
  await using visit = await journey.open(`${OVERVIEW}?website=${id}`, { as: owner });
  await visit.page.getByText("No articles yet").waitFor();
  await visit.axe();
  await visit.page.getByRole("main").getByRole("link", { name: "Getting started" }).click();
  await visit.page.getByRole("heading", { level: 1, name: "Getting started" }).waitFor();
});

/** The cumulative layout shift so far, as the browser measures it. */
async function shift(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
        .observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(0), 300);
    })`),
  );
}
