/**
 * Every dialog and menu of the dashboard: `npm run screenshots` shows each in light and dark, and tests that are run by hand
 * check them.
 */
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { png } from "../helpers/pictures.ts";
import { PASSWORD } from "../people/dashboard.ts";
import { reviewed } from "./articles.ts";
import type { DashboardPage } from "./pages.ts";
import { chooseFormat, chooseView, fillSource, goToEnd, openSource } from "./source-view.ts";
import type { World } from "./world.ts";

type Dialog = Omit<DashboardPage, "isOpen" | "prepare"> & { prepare: NonNullable<DashboardPage["prepare"]> };

/** Dialogs of the list of articles and of a single article. */
export const ARTICLE_DIALOGS: readonly Dialog[] = [
  ...onPage("/articles", {
    "account-menu": async (page) => {
      await openNavigation(page);
      await press(/account and settings$/, "menu")(page);
    },
    "website-menu": async (page) => {
      await openNavigation(page);
      await press(/^Website: /, "listbox")(page);
    },
    "keyboard-help": keys("?"),
    palette: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("tea");
      await page.getByRole("option").first().waitFor();
    },
    "articles-menu": press("More", "menu"),
    "articles-filter": press("Filter"),
  }),
  ...onPage("/articles?view=in_review", {
    "bulk-bar": async (page) => selectAll(page),
    "bulk-menu": async (page) => {
      await selectAll(page);
      await bar(page).getByRole("button", { name: "More" }).click();
      await page.getByRole("menu").waitFor();
    },
    "bulk-approve": bulk("Approve"),
    "bulk-publish": bulk("Approve and publish"),
    "bulk-request-changes": bulk("Request changes"),
    "bulk-schedule": bulk("Approve and schedule"),
    "bulk-assign": bulk("Assign"),
    "bulk-author": bulk("Change author"),
    "bulk-labels": bulk("Tags and categories"),
    "bulk-delete": bulk("Delete"),
  }),
  ...onPage("/articles?view=published", { "bulk-unpublish": bulk("Unpublish") }),
  ...onPage("/articles?view=trash", { "bulk-restore": bulk("Restore") }),
  ...onPage(({ articles }) => `/articles/${articles.pending}?view=in_review`, {
    "article-request-changes": keys("c"),
    "article-publish": keys("Shift+A"),
    "article-schedule": keys("s"),
    "article-delete": keys("Delete"),
    "article-outline": press("Outline", "menu"),
    "article-comment": async (page) => {
      await page.frameLocator("iframe[title^='Article']").locator("article p").first().waitFor();
      await page.evaluate(SELECT_PASSAGE);
      await page
        .getByRole("button", { name: /^Comment/ })
        .last()
        .click();
      await page.getByRole("dialog").waitFor();
    },
    "comment-delete": async (page) => {
      await page.keyboard.press("5");
      await page.getByRole("tabpanel").getByRole("button", { name: "Delete" }).last().click();
      await page.getByRole("dialog").waitFor();
    },
    "review-links": async (page) => {
      // On a phone it is in a tab of its own.
      const details = page.getByRole("tab", { name: "Details" });
      if ((await details.count()) > 0) await details.click();
      await press("Review link")(page);
      await page.getByLabel("For whom").fill("Editor of the tea house");
      await page.getByRole("button", { name: "Create link" }).click();
      await page.getByRole("textbox", { name: "Review link" }).waitFor();
    },
  }),
  ...onPage(({ articles }) => `/articles/${articles.approved}`, { "article-approved-publish": keys("p") }),
  ...onPage(({ articles }) => `/articles/${articles.scheduled}`, { "article-reschedule": keys("s") }),
  ...onPage(({ articles }) => `/articles/${articles.published}`, {
    "article-unpublish": keys("u"),
    "article-delete-published": keys("Delete"),
  }),
  ...onPage(({ articles }) => `/articles/${articles.edited}`, {
    "article-update": keys("p"),
    "article-discard-draft": press(/^Discard/),
  }),
  ...onPage(({ articles }) => `/articles/${articles.held}?view=held`, { "held-compare": press("Compare") }),
  ...onPage(({ articles }) => `/articles/${articles.pending}/edit`, {
    "edit-block-menu": async (page) => {
      await showVisual(page);
      await page.getByRole("toolbar").getByRole("button").first().click();
      await page.getByRole("menu").waitFor();
    },
    "edit-more-menu": inVisual(press("Table and more", "menu")),
    "edit-view-menu": press("View and format"),
    "edit-link": inVisual(press("Link")),
    "edit-picture": inVisual(async (page) => {
      // In the menu on a telephone.
      const button = page.getByRole("button", { name: "Add picture", exact: true });
      if (await button.isVisible()) return press("Add picture")(page);
      await press("Table and more", "menu")(page);
      await page.getByRole("menuitem", { name: "Add picture" }).click();
      await page.getByRole("dialog").waitFor();
    }),
    "edit-paste-markdown": async (page) => {
      await showVisual(page);

      await press("Table and more", "menu")(page);
      await page.getByRole("menuitem", { name: "Paste as Markdown" }).click();
      await page.getByRole("dialog").waitFor();
    },
    "edit-slash-menu": async (page) => {
      await showVisual(page);

      await page.getByRole("textbox", { name: "Content" }).click();
      await goToEnd(page);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await page.keyboard.type("/");
      await page.getByRole("listbox").waitFor();
    },
    "edit-html": async (page) => {
      await chooseFormat(page, "HTML");
      await page.getByRole("dialog").waitFor();
    },
    "edit-invalid": async (page) => {
      await page.getByRole("textbox", { name: "Title", exact: true }).fill("");
      await openDetails(page);
      await page.getByRole("textbox", { name: "Canonical URL" }).fill("nowhere");
      await page.getByText("This must be an absolute http or https address.").waitFor();
      await page.keyboard.press("Control+s");
      await page.getByText("An article needs a title.").waitFor();
    },
    "edit-source-changes": async (page) => {
      await openSource(page);
      await fillSource(page, "Another text.\n");
      await press("Source changes")(page);
    },
    "edit-leave": async (page) => {
      await page.getByRole("textbox", { name: "Title", exact: true }).fill("Changed");
      await page.getByRole("link", { name: "The article" }).click();
      await page.getByRole("dialog").waitFor();
    },
  }),
  // Text typed after somebody else has changed the same text.
  ...onPage(({ articles }) => `/articles/${articles.pending}/edit?view=in_review`, {
    "edit-conflict": async (page, { articles: { pending }, owner }) => {
      await openSource(page);
      await fillSource(page, "The text of one.\n");
      const { line } = await reviewed(owner, pending);
      const changes = { markdown: `The text of another, version ${String(line["version"])}.` };
      await owner.json("PATCH", `/articles/${pending}`, { version: Number(line["version"]), changes });
      await page.keyboard.press("Control+s");
      await page.getByRole("region", { name: /changed this article/ }).waitFor();
    },
  }),
];

export const OTHER_DIALOGS: readonly Dialog[] = [
  ...onPage("/pictures", {
    "picture-delete": press("Delete red-kettle.png"),
    "picture-replace": async (page) => {
      const choosing = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Replace tea-house.png" }).click();
      const file = { name: "tea-room.png", mimeType: "image/png", buffer: png(640, 400, 90) };
      await (await choosing).setFiles(file);
      await page.getByRole("dialog").waitFor();
    },
  }),
  ...onPage("/pictures?show=unused", {
    "pictures-delete": async (page) => {
      await page.getByLabel("Select all").check();
      await press("Delete")(page);
    },
  }),
  ...onPage("/settings/api-keys", {
    "key-revoke": press("Revoke Website, production"),
    "key-create": async (page) => {
      await press(/^Create/)(page);
      await page.getByRole("dialog").getByRole("button", { name: "Advanced settings" }).click();
    },
    "key-created": async (page) => {
      await press(/^Create/)(page);
      await page.getByRole("textbox", { name: "Name" }).fill("Staging");
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByRole("dialog", { name: "The key “Staging”" }).waitFor();
    },
  }),
  ...onPage("/settings/access-tokens", {
    "token-revoke": press("Revoke Article generator"),
    "token-create": press(/^Create/),
    "token-created": async (page) => {
      await press(/^Create/)(page);
      await page.getByRole("textbox", { name: "Name" }).fill("Nightly build");
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByRole("dialog", { name: "The access token “Nightly build”" }).waitFor();
    },
  }),
  ...onPage("/settings/senders", {
    "sender-connect": press("Connect a sender"),
    "sender-kinds": async (page) => {
      await press("Connect a sender")(page);
      await page
        .getByRole("dialog")
        .getByRole("combobox", { name: /What sends/ })
        .click();
      await page.getByRole("option", { name: "Anything else" }).waitFor();
    },
    "sender-connected": async (page) => {
      await press("Connect a sender")(page);
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox", { name: /What sends/ }).click();
      await page.getByRole("option", { name: "Anything else" }).click();
      await dialog.getByRole("textbox", { name: "Name" }).fill("A script");
      await dialog.getByRole("button", { name: "Connect" }).click();
      await dialog.getByText("Waiting for the first arrival").waitFor();
      await dialog.getByRole("button", { name: "Send a sample" }).click();
      await dialog.getByText("Would be stored").waitFor();
    },
  }),
  ...onPage(({ senders }) => `/settings/senders/${senders.odd}`, {
    "sender-menu": press("More", "menu"),
    "sender-edit": press("Edit"),
    "sender-rotate": choose("Rotate the secret"),
    "sender-delete": choose("Delete"),
    "sender-attention": async (page) => {
      await page.locator("main li > [aria-expanded]").first().click();
      await page.getByRole("region", { name: "the body" }).waitFor();
    },
  }),
  ...onPage("/settings/webhooks", {
    "webhook-create": async (page) => {
      await press(/^Create/)(page);
      await page.getByRole("dialog").getByRole("button", { name: "Advanced settings" }).click();
    },
    "webhook-created": async (page, { webhooks }) => {
      await press(/^Create/)(page);
      await page
        .getByRole("dialog")
        .getByRole("textbox", { name: /URL/ })
        .fill(`http://127.0.0.1:1/${webhooks.healthy}`);
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByRole("dialog", { name: /created/i }).waitFor();
    },
  }),
  ...onPage(({ webhooks }) => `/settings/webhooks/${webhooks.healthy}`, {
    "webhook-menu": press("More", "menu"),
    "webhook-edit": press("Edit"),
    "webhook-rotate": choose("Rotate the secret"),
    "webhook-replay": choose("Replay events"),
    "webhook-pause": choose("Pause"),
    "webhook-delete": choose("Delete"),
    "webhook-test": async (page) => {
      await page.getByRole("button", { name: "Send a test event" }).click();
      await page
        .getByText(/^(?:Delivered|Arrived|The receiver|HTTP)/)
        .first()
        .waitFor();
    },
  }),
  ...onPage(({ webhooks }) => `/settings/webhooks/${webhooks.paused}`, { "webhook-enable": press("Enable") }),
  ...onPage(({ webhooks }) => `/settings/webhooks/${webhooks.failing}`, {
    "webhook-attempts": async (page) => {
      await page.locator("main li > [aria-expanded]").first().click();
      await page
        .getByText(/^Attempt 1/)
        .first()
        .waitFor();
    },
  }),
  ...onPage("/settings/members", {
    "member-menu": press("More about jonas.weber@example.com", "menu"),
    "member-disable": choose("Disable", "More about jonas.weber@example.com"),
    "member-remove": choose("Remove", "More about jonas.weber@example.com"),
    "member-role-menu": async (page) => {
      await page.getByRole("combobox", { name: "Role of jonas.weber@example.com" }).click();
      await page.getByRole("option", { name: "Owner" }).waitFor();
    },
    "member-role": async (page) => {
      await page.getByRole("combobox", { name: "Role of jonas.weber@example.com" }).click();
      await page.getByRole("option", { name: "Owner" }).click();
      await page.getByRole("dialog").waitFor();
    },
    "member-invite": press("Invite"),
    "member-invited": async (page) => {
      await press("Invite")(page);
      await page.getByRole("textbox", { name: "E-mail address" }).fill("someone.else@example.com");
      await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
      await page.getByRole("dialog", { name: /^Invitation for/ }).waitFor();
    },
  }),
  ...onPage("/settings/website", {
    "website-second-factor": async (page) => {
      await page.getByRole("switch", { name: "Required for all members of this website" }).click();
      await page.getByRole("dialog").waitFor();
    },
    "website-delete": press("Delete this website…"),
  }),
  ...onPage("/settings/account", {
    "account-password": (page) => page.getByRole("button", { name: "Change password" }).click(),
    "account-passkey": press("Add a passkey"),
    "account-authenticator": async (page, { owner }) => {
      await owner.send("DELETE", "/totp", { current_password: PASSWORD });
      await page.reload();
      await startSetUp(page);
    },
    "account-recovery-codes": async (page, { owner }) => {
      await owner.send("DELETE", "/totp", { current_password: PASSWORD });
      await page.reload();
      const secret = await startSetUp(page);
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Enter the code that the app shows").fill(new TOTP({ secret }).generate());
      await dialog.getByRole("button", { name: "Turn on" }).click();
      await dialog.getByRole("list", { name: "Recovery codes" }).waitFor();
    },
    "account-new-codes": press("New recovery codes"),
    "account-authenticator-off": press("Turn off"),
  }),
  ...onPage("/settings/dead-letters", {
    "dead-letter-retry": press("Try again"),
    "dead-letter-discard": press("Discard"),
  }),
  ...onPage("/import", {
    "import-results": async (page) => {
      await page
        .locator('input[type="file"]')
        .first()
        .setInputFiles([
          {
            name: "green.md",
            mimeType: "text/markdown",
            buffer: Buffer.from("# Green tea\n\nIts leaves stay green.\n"),
          },
          { name: "oolong.md", mimeType: "text/markdown", buffer: Buffer.from("# Oolong\n\nRoasted twice.\n") },
          { name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{") },
        ]);
      await page.getByRole("button", { name: "Preview import" }).click();
      await page.getByText(/1 failed/).waitFor();
    },
  }),
];

export const DIALOGS: readonly Dialog[] = [...ARTICLE_DIALOGS, ...OTHER_DIALOGS];

const SELECT_PASSAGE = `(() => {
  const shown = document.querySelector("iframe[title^='Article']").contentDocument;
  const range = shown.createRange();
  range.selectNodeContents(shown.querySelector("article p"));
  shown.getSelection().removeAllRanges();
  shown.getSelection().addRange(range);
})()`;

function onPage(path: DashboardPage["path"], dialogs: Record<string, Dialog["prepare"]>): Dialog[] {
  return Object.entries(dialogs).map(([name, prepare]) => ({ name, path, prepare }));
}

type Role = "dialog" | "menu" | "listbox";

function press(name: string | RegExp, role: Role = "dialog"): (page: Page, world?: World) => Promise<void> {
  return async (page) => {
    await page.getByRole("button", { name, exact: true }).first().click();
    await page.getByRole(role).first().waitFor();
  };
}

/** @returns the secret for the authenticator app. */
async function startSetUp(page: Page): Promise<string> {
  await press("Set up")(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("img", { name: /^QR code/ }).waitFor();
  return (await dialog.getByRole("region", { name: "the secret" }).innerText()).replaceAll(" ", "");
}

/** In a drawer on a telephone. */
async function openNavigation(page: Page): Promise<void> {
  const navigation = page.getByRole("button", { name: "Open the navigation" });
  if (await navigation.isVisible()) await navigation.click();
}

/** Folded on a telephone. */
async function openDetails(page: Page): Promise<void> {
  const toggle = page.getByRole("button", { name: "Details panel" });
  if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
  await page.getByRole("tab", { name: "Details" }).click();
}

async function showVisual(page: Page): Promise<void> {
  await chooseView(page, "Visual");
  await page.getByRole("toolbar", { name: "Formatting" }).getByRole("button", { name: "Table and more" }).waitFor();
}

function inVisual(open: (page: Page) => Promise<void>): (page: Page) => Promise<void> {
  return async (page) => {
    await showVisual(page);
    await open(page);
  };
}

function keys(pressed: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.keyboard.press(pressed);
    await page.getByRole("dialog").waitFor();
  };
}

function choose(item: string, menu = "More"): (page: Page) => Promise<void> {
  return async (page) => {
    await press(menu, "menu")(page);
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("dialog").waitFor();
  };
}

async function selectAll(page: Page): Promise<void> {
  await page.getByLabel("Select all").first().check();
  await bar(page).waitFor();
}

function bar(page: Page) {
  return page.getByRole("region", { name: "Actions for the selected articles" });
}

function bulk(action: string): (page: Page) => Promise<void> {
  return async (page) => {
    await selectAll(page);
    const button = bar(page).getByRole("button", { name: action, exact: true });
    if (await button.isVisible()) await button.click();
    else {
      await bar(page).getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: action, exact: true }).click();
    }
    await page.getByRole("dialog").waitFor();
  };
}
