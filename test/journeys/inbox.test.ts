/** Notifications in the dashboard, the choice of e-mails, and the links that are sent by e-mail only. */
import assert from "node:assert/strict";
import { after } from "node:test";
import * as articles from "../../src/operations/articles/write/articles.ts";
import { sealUnsubscribeToken } from "../../src/operations/people/unsubscribe.ts";
import { makeArticle } from "../helpers/articles.ts";
import { record } from "../helpers/http.ts";
import { MailServer } from "../helpers/mail-server.ts";
import { until } from "../helpers/until.ts";
import { PASSWORD } from "../people/dashboard.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

let server: MailServer;
const journey = shared(async () => {
  server = await MailServer.start();
  const started = await startJourney({ SMTP_URL: server.url });
  // The first account is its owner.
  await started.people.owner();
  return started;
});

after(() => server[Symbol.asyncDispose]());

const EVE = { id: "Eve", mayApprove: false };

const submitted = async (title: string) => {
  const { app, website } = journey().service;
  const made = await articles.createArticle(app, website.id, makeArticle({ title }), EVE, { reviewState: "draft" });
  await articles.submitArticle(app, made.article.id, EVE);
  return made.article.id;
};

test("the bell counts unread entries live; opening one goes to the article and marks it as read", async () => {
  const owner = await journey().people.owner();
  await using visit = await journey().open("/dashboard/inbox", { as: owner });
  const { page } = visit;
  await page.getByText("Nothing here yet").waitFor();
  const bell = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Inbox/ });
  await visit.axe();
  const id = await submitted("Tea in the rain");
  await page.getByText("Submitted for review.").waitFor();
  await bell.filter({ hasText: "1 unread" }).waitFor();
  await submitted("Coffee");
  await bell.filter({ hasText: "2 unread" }).waitFor();
  await visit.axe();
  await page.getByRole("link", { name: "Tea in the rain" }).click();
  await page.waitForURL((url) => url.pathname === `/dashboard/articles/${id}`);
  await page.getByRole("heading", { name: "Tea in the rain" }).first().waitFor();
  await bell.filter({ hasText: "1 unread" }).waitFor();
});

test("the keyboard moves through the list and marks entries, and the list can show unread ones only", async () => {
  const person = await journey().people.person("approver", null, "keys@example.com");
  const titles = ["Oolong", "Assam", "Sencha"];
  for (const title of titles) await submitted(title);
  await using visit = await journey().open("/dashboard/inbox", { as: person });
  const { page } = visit;
  const unread = async () => record(await person.json("GET", "/inbox/unread"))["unread"];
  await page.getByRole("link", { name: "Oolong" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await page.locator("a:focus").textContent(), "Assam");
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "Mark as unread: Assam" }).waitFor();
  assert.equal(await unread(), 2);
  await page.getByText("Unread", { exact: true }).click();
  await until("Assam is left out", async () => (await page.getByRole("link", { name: "Assam" }).count()) === 0);
  await page.keyboard.press("Shift+M");
  await page.getByText("You are all caught up").waitFor();
  assert.equal(await unread(), 0);
});

test("the e-mails' link leads to Account, where people choose which e-mails they get", async () => {
  const owner = await journey().people.owner();
  await using visit = await journey().open("/dashboard/settings/account#notifications", { as: owner });
  const { page } = visit;
  const settings = async () => owner.json("GET", "/notification-settings");
  const comments = page.getByRole("checkbox", { name: "Somebody comments on my article" });
  await comments.uncheck();
  await until("it is saved", async () => JSON.stringify((await settings())["muted"]) === '["comment"]');
  await page.getByRole("radio", { name: "A daily summary at 8:00" }).check();
  await until("that, too", async () => (await settings())["mail"] === "daily");
  await visit.axe();
  await page.getByRole("radio", { name: "None" }).check();
  await comments.waitFor({ state: "detached" });
});

for (const width of [1280, 390]) {
  test(`the link in an e-mail turns e-mails of its kind off without signing in, at ${width} px`, async () => {
    const { app } = journey().service;
    const email = `kim${width}@example.com`;
    const kim = await journey().people.person("approver", null, email);
    const accountId = String(record((await kim.json("GET", "/session"))["account"])["id"]);
    const link = { accountId, email, scope: ["to_review", "resubmitted"] } as const;
    const path = `/dashboard/api/unsubscribe?token=${sealUnsubscribeToken(app.secrets(), link)}`;
    const muted = async () => (await kim.json("GET", "/notification-settings"))["muted"];
    await using visit = await journey().open(path, { width });
    const { page } = visit;
    await page.getByText("An article is submitted for review").waitFor();
    assert.deepEqual(await muted(), [], "opening it changes nothing");
    await visit.axe();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("heading", { name: "These e-mails are off" }).waitFor();
    await page.locator(":focus", { hasText: `${email} no longer gets` }).waitFor();
    assert.deepEqual(await muted(), ["to_review", "resubmitted"]);
    await visit.axe();
    await page.reload();
    await page.getByRole("heading", { name: "These e-mails are off" }).waitFor();

    await using account = await journey().open("/dashboard/settings/account#notifications", { as: kim, width });
    await account.page.getByRole("checkbox", { name: "An article is submitted for review" }).check();
    await until("she gets them again", async () => JSON.stringify(await muted()) === '["resubmitted"]');
  });
}

/** The link in the e-mail of that subject. */
async function mailedPath(subject: string, to: string): Promise<string> {
  const mail = () => server.mails.find((one) => one.to === to && one.subject === subject);
  await until(`${subject} comes to ${to}`, () => mail() !== undefined);
  return /\/dashboard\/[\w-]+#[\w-]{43}/.exec(mail()?.text ?? "")?.[0] ?? "";
}

test("a forgotten password is reset by a link sent by e-mail", async () => {
  await journey().people.person("viewer", null, "dora@example.com");
  await using visit = await journey().open("/dashboard/sign-in");
  const { page } = visit;
  await page.getByRole("button", { name: "Forgot your password?" }).click();
  await page.getByLabel("E-mail address").fill("dora@example.com");
  await visit.axe();
  await page.getByRole("button", { name: "E-mail me a link" }).click();
  await page.getByText("If dora@example.com has an account here").waitFor();
  await visit.axe();
  await page.goto(new URL(await mailedPath("Set a new password", "dora@example.com"), page.url()).href);
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
});

test("a new e-mail address is confirmed, and the earlier one can undo the change", async () => {
  const as = await journey().people.person("viewer", null, "emil@example.com");
  await using visit = await journey().open("/dashboard/settings/account", { as });
  const { page } = visit;
  await page.getByRole("button", { name: "Change e-mail address" }).click();
  await page.getByLabel("New e-mail address").fill("emil@new.example.com");
  await page.getByLabel("Current password").fill(PASSWORD);
  await visit.axe();
  await page.getByRole("button", { name: "E-mail me a link" }).click();
  await page.getByText("emil@new.example.com is not confirmed yet").waitFor();
  await page.goto(new URL(await mailedPath("Confirm your e-mail address", "emil@new.example.com"), page.url()).href);
  await page.getByRole("button", { name: "Confirm this address" }).waitFor();
  await visit.axe();
  await page.getByRole("button", { name: "Confirm this address" }).click();
  await page.getByText("From now on you sign in as emil@new.example.com.").waitFor();
  await page.goto(new URL(await mailedPath("Your e-mail address was changed", "emil@example.com"), page.url()).href);
  await page.getByRole("button", { name: "Undo the change" }).click();
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
});
