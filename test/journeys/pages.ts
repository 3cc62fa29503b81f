/** Every page of the dashboard, for tests and `npm run screenshots` in light and dark, wide and narrow. */
import type { Page } from "playwright-core";
import type { Visit, VisitOptions } from "./browser.ts";
import { openSource } from "./source-view.ts";
import type { World } from "./world.ts";

export interface DashboardPage {
  /** Name of its screenshots. */
  name: string;
  /** Below /dashboard. */
  path: string | ((world: World) => string);
  /** Nobody is signed in on these pages; on the others, the owner. */
  isOpen?: boolean;
  /** Steps before the check, such as opening a dialog or choosing a tab. */
  prepare?: (page: Page, world: World) => Promise<void>;
}

export const PAGES: readonly DashboardPage[] = [
  { name: "sign-in", path: "/sign-in", isOpen: true },
  {
    name: "sign-in-forgotten",
    path: "/sign-in",
    isOpen: true,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Forgot your password?" }).click();
      await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    },
  },
  { name: "guest-review", path: ({ reviewLink }) => `/review#${reviewLink}`, isOpen: true },
  { name: "welcome", path: ({ invitation }) => `/welcome#${invitation}`, isOpen: true },
  { name: "overview", path: "" },
  { name: "getting-started", path: "/getting-started" },
  {
    name: "getting-started-agent",
    path: "/getting-started",
    prepare: (page) => page.getByRole("tab", { name: "Agent" }).click(),
  },
  { name: "articles", path: "/articles" },
  { name: "articles-published", path: "/articles?view=published" },
  { name: "articles-held", path: "/articles?view=held" },
  { name: "articles-trash", path: "/articles?view=trash" },
  { name: "article-new", path: "/articles/new" },
  { name: "article-pending", path: ofPending },
  { name: "article-scheduled", path: ({ articles }) => `/articles/${articles.scheduled}` },
  { name: "article-published", path: ({ articles }) => `/articles/${articles.published}` },
  { name: "article-draft-copy", path: ({ articles }) => `/articles/${articles.edited}` },
  { name: "article-held", path: ({ articles }) => `/articles/${articles.held}?view=held` },
  { name: "article-requests", path: ({ articles }) => `/articles/${articles.asked}?view=in_review` },
  { name: "article-quality", path: ofPending, prepare: (page) => page.keyboard.press("2") },
  { name: "article-pipeline", path: ofPending, prepare: (page) => page.keyboard.press("3") },
  {
    name: "article-menu",
    path: ofPending,
    prepare: async (page) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menu").waitFor();
    },
  },
  {
    name: "article-compare",
    path: ({ articles }) => `/articles/${articles.edited}`,
    prepare: (page) => page.getByRole("button", { name: "Compare" }).first().click(),
  },
  { name: "article-edit", path: ({ articles }) => `/articles/${articles.pending}/edit` },
  {
    name: "article-source",
    path: ({ articles }) => `/articles/${articles.pending}/edit`,
    prepare: async (page) => {
      await openSource(page);
      await page.locator(".cm-content").focus();
      await page.keyboard.press("Control+f");
    },
  },
  { name: "pictures", path: "/pictures" },
  {
    name: "pictures-unused",
    path: "/pictures?show=unused",
    prepare: (page) => page.getByLabel("Select all").check(),
  },
  { name: "import", path: "/import" },
  { name: "api-keys", path: "/settings/api-keys" },
  { name: "access-tokens", path: "/settings/access-tokens" },
  { name: "senders", path: "/settings/senders" },
  {
    name: "sender",
    path: ({ senders }) => `/settings/senders/${senders.working}`,
    prepare: (page) => page.getByRole("button", { name: /Matcha/ }).click(),
  },
  { name: "sender-fields", path: ({ senders }) => `/settings/senders/${senders.odd}/fields` },
  { name: "webhooks", path: "/settings/webhooks" },
  { name: "webhook", path: ({ webhooks }) => `/settings/webhooks/${webhooks.healthy}` },
  { name: "webhook-failing", path: ({ webhooks }) => `/settings/webhooks/${webhooks.failing}` },
  { name: "members", path: "/settings/members" },
  { name: "website", path: "/settings/website" },
  { name: "website-new", path: "/websites/new" },
  { name: "dead-letters", path: "/settings/dead-letters" },
  { name: "audit", path: "/settings/audit" },
  { name: "inbox", path: "/inbox" },
  { name: "account", path: "/settings/account" },
  { name: "not-found", path: "/nowhere" },
];

function ofPending({ articles }: World): string {
  return `/articles/${articles.pending}?view=in_review`;
}

/** The page once everything on it is loaded. */
export async function openPage(world: World, page: DashboardPage, look: Look): Promise<Visit> {
  const as = page.isOpen === true ? {} : { as: world.owner };
  const visit = await world.journey.open(addressOf(world, page), { ...look, ...as });
  await showPage(world, page, visit);
  return visit;
}

/** The same, in a tab that shows another page. */
export async function goToPage(world: World, page: DashboardPage, visit: Visit): Promise<void> {
  await visit.page.goto(new URL(addressOf(world, page), visit.page.url()).href);
  await showPage(world, page, visit);
}

function addressOf(world: World, { path }: DashboardPage): string {
  return `/dashboard${typeof path === "string" ? path : path(world)}`;
}

async function showPage(world: World, page: DashboardPage, visit: Visit): Promise<void> {
  await visit.settled();
  await openDialog(world, page, visit);
}

/** On the page that the tab shows. */
export async function openDialog(world: World, { prepare }: DashboardPage, visit: Visit): Promise<void> {
  await prepare?.(visit.page, world);
  await visit.settled();
}

export interface Look extends Pick<VisitOptions, "width" | "height" | "context"> {
  width: number;
  colorScheme: "light" | "dark";
}

export const WIDE = { width: 1280, height: 800 };
/** A telephone. */
export const NARROW = { width: 390, height: 844, context: { isMobile: true, hasTouch: true } };
