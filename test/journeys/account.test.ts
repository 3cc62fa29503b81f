/** One's own account: password, authenticator, passkeys, sessions. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { until } from "../helpers/until.ts";
import { records } from "../helpers/http.ts";
import { PASSWORD } from "../people/dashboard.ts";
import { startJourney } from "./browser.ts";
import { shared, test } from "./journeys.ts";

const journey = shared(async () => {
  const started = await startJourney();
  // The first account is its owner.
  await started.people.owner();
  return started;
});

const ANOTHER_PASSWORD = "nine green bottles";
const ACCOUNT = "/dashboard/settings/account";

/** Chromium's own authenticator, which has made sure who holds it. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test("a person changes their own name, and teammates see it", async () => {
  const person = await journey().people.person("viewer", null, "renamed@example.com");
  await using visit = await journey().open(ACCOUNT, { as: person });
  const { page } = visit;
  await page.getByLabel("Name", { exact: true }).fill("n".repeat(201));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("A name has at most 200 characters.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("  Renata  ");
  await visit.axe();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your name was saved.").waitFor();
  await page.getByRole("button", { name: /^Renata/ }).waitFor();
  const { members } = await (await journey().people.owner()).json("GET", "/members");
  assert.equal(records(members).find(({ email }) => email === "renamed@example.com")?.["name"], "Renata");
});

test("a changed password works at once and ends the other sessions", async () => {
  const person = await journey().people.person("viewer", null, "paul@example.com");
  const other = journey().people.browser();
  await other.signIn("paul@example.com");
  await using visit = await journey().open(ACCOUNT, { as: person });
  const { page } = visit;
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByLabel("Current password", { exact: true }).fill("not this one");
  await page.getByLabel("New password", { exact: true }).fill(ANOTHER_PASSWORD);
  await visit.axe();
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("That is not your password.").waitFor();
  await page.getByLabel("Current password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password was changed.").waitFor();
  assert.equal((await other.send("GET", "/session")).status, 401);
  assert.equal((await other.signIn("paul@example.com", ANOTHER_PASSWORD)).status, 200);
});

test("an authenticator is set up with the QR code's secret, and recovery codes are shown once", async () => {
  const person = await journey().people.person("viewer", null, "tom@example.com");
  await using visit = await journey().open(ACCOUNT, { as: person });
  const { page } = visit;
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("img", { name: /^QR code/ }).waitFor();
  await visit.axe();
  const secret = (await dialog.getByRole("region", { name: "the secret" }).innerText()).replaceAll(" ", "");
  const totp = new TOTP({ secret });
  const code = dialog.getByLabel("Enter the code that the app shows");
  await code.fill(totp.generate() === "000000" ? "000001" : "000000");
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByText("This code is wrong").waitFor();
  await code.fill(totp.generate());
  await dialog.getByRole("button", { name: "Turn on" }).click();
  const list = dialog.getByRole("list", { name: "Recovery codes" });
  await list.waitFor();
  const codes = await list.getByRole("listitem").allInnerTexts();
  assert.equal(codes.length, 10);
  await visit.axe();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  const saved = await readFile(await download.path(), "utf8");
  for (const one of codes) assert.ok(saved.includes(one), `${one} is in the file`);
  // Nobody closes it by accident.
  assert.equal(await dialog.getByRole("button", { name: "Done" }).isDisabled(), true);
  await dialog.getByLabel("I have saved them").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText("10 recovery codes left").waitFor();

  await page.getByRole("button", { name: "Turn off" }).click();
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("button", { name: "Set up" }).waitFor();
  assert.deepEqual(await person.json("GET", "/totp"), { enabled: false, recovery_codes_left: 0 });
});

test("a passkey is added, signs in without password and code, and is removed", async () => {
  const person = await journey().people.person("viewer", null, "pia@example.com");
  await using visit = await journey().open(ACCOUNT, { as: person, host: "localhost" });
  const { page } = visit;
  await addAuthenticator(page);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Pia's laptop");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await visit.axe();
  await dialog.getByRole("button", { name: "Continue" }).click();
  const rows = page.getByRole("list", { name: "Your passkeys" });
  await rows.getByText("Pia's laptop").waitFor();

  await page.getByRole("button", { name: /account and settings/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Your account" }).waitFor();

  await page.getByRole("button", { name: "Remove Pia's laptop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No passkeys yet.").waitFor();
});

test("without support for passkeys the dialog says what to do", async () => {
  const person = await journey().people.person("viewer", null, "nora@example.com");
  await using visit = await journey().open(ACCOUNT, { as: person });
  const { page } = visit;
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("set ROSTRUM_PUBLIC_URL").waitFor();
});

test("a session on another device is listed, and signed out from here", async () => {
  const person = await journey().people.person("viewer", null, "sam@example.com");
  const phone = journey().people.browser({
    "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) Version/19.0 Safari/604.1",
  });
  await phone.signIn("sam@example.com");
  await using visit = await journey().open(ACCOUNT, { as: person });
  const { page } = visit;
  const sessions = page.getByRole("list", { name: "Your sessions" });
  await sessions.getByText("Safari on iPhone").waitFor();
  await sessions.getByText("This device").waitFor();
  await visit.axe();
  await sessions.getByRole("button", { name: /^Sign out Safari on iPhone/ }).click();
  await sessions.getByText("Safari on iPhone").waitFor({ state: "detached" });
  await until("the phone is signed out", async () => (await phone.send("GET", "/session")).status === 401);
});
