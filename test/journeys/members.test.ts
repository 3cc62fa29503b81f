/** A website's members and their roles. */
import assert from "node:assert/strict";
import { until } from "../helpers/until.ts";
import { PASSWORD, tokenOf } from "../people/dashboard.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);

const MEMBERS = "/dashboard/settings/members";

test("an invitation link is shown once, and a new one replaces it", async () => {
  await using visit = await journey().open(MEMBERS, { as: await journey().people.owner() });
  const { page } = visit;
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Invite" }).click();
  await dialog.getByText("Enter the e-mail address.").waitFor();
  await dialog.getByLabel("E-mail address").fill("nobody");
  await visit.axe();
  await dialog.getByRole("button", { name: "Invite" }).click();
  await dialog.getByText("That is not an e-mail address").waitFor();
  await dialog.getByLabel("E-mail address").fill("anna@example.com");
  await dialog.getByLabel("Name").fill("Anna");
  await dialog.getByLabel("Approver").check();
  await dialog.getByRole("button", { name: "Invite" }).click();
  await page.getByRole("heading", { name: "Invitation for Anna" }).waitFor();
  await visit.axe();
  const first = await dialog.getByRole("region", { name: "the invitation link" }).innerText();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });

  const row = page.getByRole("row", { name: /anna@example\.com/ });
  await row.getByText("Invited").waitFor();
  assert.equal(await row.getByRole("combobox").inputValue(), "Approver");
  await row.getByRole("button", { name: "New link for anna@example.com" }).click();
  const second = await dialog.getByRole("region", { name: "the invitation link" }).innerText();
  assert.notEqual(second, first);
  const anna = journey().people.browser();
  assert.equal((await anna.send("POST", "/welcome/link", { token: tokenOf(first) })).status, 404);
  await anna.json("POST", "/welcome", { token: tokenOf(second), password: PASSWORD });
  await dialog.getByRole("button", { name: "Done" }).click();
  await row.getByText("Active").waitFor();
});

test("somebody with an account becomes a member at once, without a link", async () => {
  const { id } = await journey().service.newWebsite({ name: "Second" });
  await journey().people.person("viewer", journey().website.id, "kim@example.com");
  const owner = await journey().people.owner();
  await using visit = await journey().open(`${MEMBERS}?website=${id}`, { as: owner });
  const { page } = visit;
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail address").fill("kim@example.com");
  await dialog.getByRole("button", { name: "Invite" }).click();
  await page.getByText("No invitation is needed.").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /kim@example\.com/ }).waitFor();
  // All memberships, on both websites.
  await page.getByText("All websites").click();
  await until("both are listed", async () => (await page.getByRole("row", { name: /kim@example\.com/ }).count()) === 2);
  await visit.axe();
});

test("a role is changed in its row, and the last owner cannot lose theirs", async () => {
  const person = await journey().people.person("viewer", journey().website.id, "rob@example.com");
  const owner = await journey().people.owner();
  await using visit = await journey().open(`${MEMBERS}?website=${journey().website.id}`, { as: owner });
  const { page } = visit;
  await page.getByRole("combobox", { name: "Role of rob@example.com" }).click();
  await page.getByRole("option", { name: "Editor" }).click();
  await until("it is changed", async () => {
    const { websites } = await person.json("GET", "/session");
    return JSON.stringify(websites).includes('"editor"');
  });
  await page.getByRole("combobox", { name: "Role of owner@example.com" }).click();
  await page.getByRole("option", { name: "Viewer" }).click();
  const dialog = page.getByRole("dialog", { name: "Change your own role?" });
  await dialog.getByRole("button", { name: "Change the role" }).click();
  await dialog.getByText("This is the last owner").waitFor();
  await visit.axe();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await page.getByRole("combobox", { name: "Role of owner@example.com" }).inputValue(), "Owner");
});

test("disabled people are signed out, enabled ones sign in again, and removed ones are gone", async () => {
  const person = await journey().people.person("viewer", journey().website.id, "dan@example.com");
  const owner = await journey().people.owner();
  await using visit = await journey().open(`${MEMBERS}?website=${journey().website.id}`, { as: owner });
  const { page } = visit;
  const row = page.getByRole("row", { name: /dan@example\.com/ });
  const choose = async (action: string) => {
    await row.getByRole("button", { name: "More about dan@example.com" }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose("Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await row.getByText("Disabled").waitFor();
  assert.equal((await person.send("GET", "/session")).status, 401);
  await choose("Enable");
  await row.getByText("Active").waitFor();
  assert.equal((await person.signIn("dan@example.com")).status, 200);
  await choose("Remove");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await person.send("GET", "/session")).status, 401);
});

test("only owners find the page; an owner of one website cannot change those of all", async () => {
  const editor = await journey().people.person("editor", journey().website.id, "ed@example.com");
  await using visit = await journey().open(MEMBERS, { as: editor });
  await visit.page.getByText("Only owners can open this page").waitFor();
  assert.equal(await visit.page.getByRole("link", { name: "Members" }).count(), 0);
  await visit.axe();

  const local = await journey().people.person("owner", journey().website.id, "local@example.com");
  await using theirs = await journey().open(MEMBERS, { as: local });
  const row = theirs.page.getByRole("row", { name: /owner@example\.com/ });
  await row.waitFor();
  assert.equal(await row.getByRole("combobox").isDisabled(), true);
  assert.equal(await row.getByRole("button", { name: /^More about/ }).count(), 0);
  await theirs.page.getByRole("button", { name: "Invite" }).click();
  const dialog = theirs.page.getByRole("dialog");
  await dialog.getByLabel("E-mail address").waitFor();
  assert.equal(await dialog.getByLabel("On every website").count(), 0);
});
