import assert from "node:assert/strict";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);

test("who is not signed in is asked to, wherever in the dashboard they went", async () => {
  for (const path of ["/", "/dashboard", "/dashboard/articles"]) {
    await using visit = await journey().open(path);
    await visit.page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(new URL(visit.page.url()).pathname, "/dashboard/sign-in");
    await visit.axe();
  }
});

test("who is signed in sees the name of their website", async () => {
  const { people, website } = journey();
  await using visit = await journey().open("/dashboard", { as: await people.owner() });
  await visit.page.getByText(website.name).first().waitFor();
});
