/** Signing in: one-time links, the password, the second factor, and the return to the page before. */
import assert from "node:assert/strict";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { requestReset } from "../../src/operations/people/accounts.ts";
import { makeSetUpLink } from "../../src/operations/people/invitations.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { OWNER, PASSWORD } from "../people/dashboard.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(startJourney);

const ANOTHER_PASSWORD = "nine green bottles";

function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
}

async function arriveAt(page: Page, path: string): Promise<void> {
  await until(`the page is at ${path}`, () => pathOf(page) === path, 30_000);
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("the first owner chooses e-mail address and password at the link, and is in", async () => {
  const token = await makeSetUpLink(journey().service.app);
  await using visit = await journey().open(`/dashboard/welcome#${token}`);
  const { page } = visit;
  await page.getByRole("heading", { name: "Set up Rostrum" }).waitFor();
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByText("Enter your e-mail address").waitFor();
  await page.getByText("Choose a password.").waitFor();
  await page.getByLabel("E-mail address").fill(OWNER);
  await page.getByLabel("Name").fill("Olga");
  const password = page.getByLabel("Password", { exact: true });
  await password.fill("too short");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByText("It has 9 of at least 10 characters.").waitFor();
  await visit.axe();
  // The service's own refusals are shown at the field, too.
  await password.fill("password123");
  await page.getByRole("button", { name: "Create the account" }).click();
  await page.getByText("This password is easy to guess").waitFor();
  assert.equal(await password.getAttribute("aria-invalid"), "true");
  await password.fill(PASSWORD);
  await page.getByRole("button", { name: "Create the account" }).click();
  await arriveAt(page, "/dashboard/");
  await page.getByRole("button", { name: /^Olga / }).waitFor();
});

test("used and truncated links say what to do", async () => {
  await journey().people.owner();
  const { token } = await addMember(
    journey().service.app,
    { email: "used@example.com", name: "", role: "viewer", websiteId: null },
    CLI_ORIGIN,
  );
  const person = journey().people.browser();
  await person.json("POST", "/welcome", { token, password: PASSWORD });
  for (const hash of [`#${token}`, "#abc", ""]) {
    await using visit = await journey().open(`/dashboard/welcome${hash}`);
    await visit.page.getByRole("heading", { name: "This link is no longer valid" }).waitFor();
    await visit.page.getByText("ask the person who invited you").waitFor();
    await visit.axe();
  }
});

test("an invited person sees their address, chooses a password, and is signed in", async () => {
  const { token } = await addMember(
    journey().service.app,
    { email: "ines@example.com", name: "", role: "editor", websiteId: journey().website.id },
    CLI_ORIGIN,
  );
  await using visit = await journey().open(`/dashboard/welcome#${token}`);
  const { page } = visit;
  await page.getByRole("heading", { name: "Welcome to Rostrum" }).waitFor();
  assert.equal(await page.getByLabel("E-mail address").inputValue(), "ines@example.com");
  assert.equal(await page.getByLabel("E-mail address").isEditable(), false);
  await visit.axe();
  await page.getByLabel("Name").fill("Ines");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await arriveAt(page, "/dashboard/");
  await page.getByRole("button", { name: /^Ines / }).waitFor();
});

test("a reset ends on the sign-in page, where the new password works", async () => {
  await journey().people.person("viewer", null, "rosa@example.com");
  const { token } = await requestReset(journey().service.app, "rosa@example.com", {}, CLI_ORIGIN);
  await using visit = await journey().open(`/dashboard/welcome#${token}`);
  const { page } = visit;
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
  await page.getByLabel("Password", { exact: true }).fill(ANOTHER_PASSWORD);
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByRole("heading", { name: "Your password was changed" }).waitFor();
  await visit.axe();
  await page.getByRole("link", { name: "Sign in" }).click();
  await signIn(page, "rosa@example.com", ANOTHER_PASSWORD);
  await arriveAt(page, "/dashboard/");
});

test("a wrong password is reported in the form, which keeps the address", async () => {
  await journey().people.owner();
  await using visit = await journey().open("/dashboard/sign-in");
  const { page } = visit;
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Enter your password.").waitFor();
  await signIn(page, OWNER, "not this one");
  await page.getByRole("alert").getByText("wrong").waitFor();
  assert.equal(await page.getByLabel("E-mail address").inputValue(), OWNER);
  await visit.axe();
});

test("signing in leads to the requested page, search included", async () => {
  await journey().people.owner();
  await using visit = await journey().open("/dashboard/articles?view=published&q=tea");
  const { page } = visit;
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(page, OWNER, PASSWORD);
  await arriveAt(page, "/dashboard/articles?view=published&q=tea");
});

test("the sign-in page never redirects to another site", async () => {
  await journey().people.owner();
  for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example"]) {
    await using visit = await journey().open(`/dashboard/sign-in?to=${encodeURIComponent(to)}`);
    await visit.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(visit.page, OWNER, PASSWORD);
    await arriveAt(visit.page, "/dashboard/");
  }
});

test("with an authenticator a code is required, and a recovery code works, too", async () => {
  const person = await journey().people.person("viewer", null, "tara@example.com");
  const { secret } = await person.json("POST", "/totp", { current_password: PASSWORD });
  const totp = new TOTP({ secret: String(secret) });
  const { recovery_codes: codes } = await person.json("PUT", "/totp", { code: totp.generate() });
  assert.ok(Array.isArray(codes));
  await using visit = await journey().open("/dashboard/sign-in");
  const { page } = visit;
  await signIn(page, "tara@example.com", PASSWORD);
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await visit.axe();
  // It was used to confirm it.
  await page.getByLabel("Code from your authenticator").fill("000000");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("That code is wrong, or was used already.").waitFor();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(String(codes[0]));
  await page.getByRole("button", { name: "Sign in" }).click();
  await arriveAt(page, "/dashboard/");
});

test("when the session ends elsewhere, the page stays, asks to sign in, and goes on afterwards", async () => {
  const person = await journey().people.person("viewer", null, "vera@example.com");
  await using visit = await journey().open("/dashboard/articles?view=published", { as: person });
  const { page } = visit;
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await person.json("DELETE", "/session", undefined, 204);
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.waitFor();
  await visit.axe();
  assert.equal(await page.getByLabel("E-mail address").inputValue(), "vera@example.com");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(pathOf(page), "/dashboard/articles?view=published");

  // Somebody else signs in on the page for that.
  await page.evaluate(`fetch("/dashboard/api/session", { method: "DELETE" })`);
  await dialog.getByRole("button", { name: "Leave this page and sign in as somebody else" }).click();
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  await signIn(page, OWNER, PASSWORD);
  await arriveAt(page, "/dashboard/articles?view=published");
});

test("what a dialog sends after the session has ended is done once its user has signed in again, and so is an upload", async () => {
  const person = await journey().people.person("owner", null, "late@example.com");
  await using visit = await journey().open("/dashboard/settings/api-keys", { as: person });
  const { page } = visit;
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Staging");
  await page.context().clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await signInAgain(page);
  await page.getByRole("dialog", { name: "The key “Staging”" }).waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();

  await page.getByRole("link", { name: "Pictures" }).click();
  await page.getByRole("button", { name: "Upload pictures" }).waitFor();
  await page.context().clearCookies();
  const buffer = png(64, 48, 90);
  await page.locator('input[type="file"]').first().setInputFiles({ name: "late.png", mimeType: "image/png", buffer });
  await signInAgain(page);
  await page.getByText("late.png").first().waitFor();

  // Whoever leaves instead has changed nothing.
  await page.goto(`${journey().service.url}/dashboard/settings/api-keys`);
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Abandoned");
  await page.context().clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: "Leave this page and sign in as somebody else" }).click();
  await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
  await signIn(page, OWNER, PASSWORD);
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  await page.evaluate("dispatchEvent(new Event('rostrum:back'))");
  await page.reload();
  await page.getByText("Staging").first().waitFor();
  assert.equal(await page.getByText("Abandoned").count(), 0);
});

async function signInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

test("a session that has ended is begun again with its second factor, over the page", async () => {
  const person = await journey().people.person("editor", null, "over@example.com");
  const { secret } = await person.json("POST", "/totp", { current_password: PASSWORD });
  const { recovery_codes: codes } = await person.json("PUT", "/totp", {
    code: new TOTP({ secret: String(secret) }).generate(),
  });
  assert.ok(Array.isArray(codes));
  await using visit = await journey().open("/dashboard/articles/new", { as: person });
  const { page } = visit;
  await page.getByRole("textbox", { name: "Title", exact: true }).fill("Typed before");
  await person.json("DELETE", "/session", undefined, 204);
  const password = page.getByRole("dialog", { name: "Sign in again" }).getByLabel("Password", { exact: true });
  await password.fill(PASSWORD);
  await password.press("Enter");
  const code = page.getByRole("dialog", { name: "Enter your code" });
  await code.getByRole("button", { name: "Use a recovery code" }).click();
  await visit.axe();
  await code.getByLabel("Recovery code").fill(String(codes[0]));
  await page.keyboard.press("Enter");
  await code.waitFor({ state: "detached" });
  await page.locator("#main").getByText("Saved on this device and on the server").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Title", exact: true }).inputValue(), "Typed before");
});

test("signing out ends the session, and going back shows nothing", async () => {
  await using visit = await journey().open("/dashboard/", { as: await journey().people.owner() });
  const { page } = visit;
  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("heading", { name: "Members" }).waitFor();
  await page.getByRole("button", { name: /account and settings/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("people who are signed in skip the sign-in page", async () => {
  const as = await journey().people.owner();
  await using visit = await journey().open("/dashboard/sign-in?to=/settings/account", { as });
  await visit.page.getByRole("heading", { name: "Your account" }).waitFor();
});
