/** What machines ask people to do: on the article's page, and in the inbox. */
import assert from "node:assert/strict";
import { record } from "../helpers/http.ts";
import { Machine } from "../helpers/machine.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(async () => {
  const started = await startJourney();
  // The first account is its owner.
  await started.people.owner();
  return started;
});

const TEXT = { markdown: "Water at 80 degrees, and three minutes." };

test("a request to delete is found in the inbox, declined in one click, and accepted in one more", async () => {
  const { service, open, people } = journey();
  const owner = await people.owner();
  using machine = await Machine.start(service, "draft", "Tea bot");
  const brought = { title: "Gyokuro", ...TEXT, review_state: "draft" };
  const { article } = await machine.json("PUT", "/articles/by-external-id/gyokuro", brought, { status: 201 });
  const path = `/articles/${String(record(article)["id"])}`;
  const ask = (reason: string) => machine.json("POST", `${path}/removal-request`, { reason });
  await ask("Its file is gone");

  await using visit = await open("/dashboard/inbox", { as: owner });
  const { page } = visit;
  await page.getByText("Tea bot asked to delete this.").waitFor();
  await page.getByText("Its file is gone").waitFor();
  await page.getByRole("link", { name: "Gyokuro" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "asked to delete this article" });
  await notice.getByText("Its file is gone").waitFor();
  await visit.axe();
  await notice.getByRole("button", { name: "Decline the request to delete" }).click();
  await notice.waitFor({ state: "hidden" });
  assert.equal((await owner.json("GET", path))["removal_request"], null);

  await ask("Really");
  await notice.getByText("Really").waitFor();
  await notice.getByRole("button", { name: "Accept the request to delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Moved to trash", { exact: false }).first().waitFor();
  await notice.waitFor({ state: "hidden" });
});

test("an article that a machine brings as published asks for it; the request is accepted in one click", async () => {
  const { service, open, people } = journey();
  using machine = await Machine.start(service, "draft", "Tea bot");
  const metadata = {
    meta_description: "How warm the water is",
    featured_image_url: "https://images.example.com/a.jpg",
  };
  const brought = { title: "Sencha", ...TEXT, ...metadata, status: "published" };
  const { article } = await machine.json("PUT", "/articles/by-external-id/sencha", brought, { status: 201 });
  await using visit = await open(`/dashboard/articles/${String(record(article)["id"])}`, { as: await people.owner() });
  const { page } = visit;
  await page.getByText("Sent by Tea bot over the API as sencha").waitFor();
  const notice = page.getByRole("alert").filter({ hasText: "Tea bot asked to publish this article" });
  await notice.waitFor();
  await visit.axe();
  await notice.getByRole("button", { name: "Accept the request to publish" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve and publish" }).press("Enter");
  await notice.waitFor({ state: "hidden" });
});
