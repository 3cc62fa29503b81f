/** All routes of the dashboard. Pages are loaded on navigation, or on intent to navigate. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { fetchSession, sessionQuery } from "../api/session.ts";
import { countsQuery, pageQuery } from "../features/articles/queries.ts";
import { validateSearch as articlesSearch } from "../features/articles/search.ts";
import { validateSearch as picturesSearch } from "../features/assets/search.ts";
import { validateSearch as auditSearch } from "../features/audit/search.ts";
import { validateSearch as inboxSearch } from "../features/inbox/search.ts";
import { validateSearch as membersSearch } from "../features/members/search.ts";
import { preloadEditor } from "../features/review/editor/canvas/editors.ts";
import { reviewedQuery } from "../features/review/queries.ts";
import { validateSearch as reviewSearch } from "../features/review/search.ts";
import {
  validateMappingSearch as senderFieldsSearch,
  validateSearch as senderSearch,
} from "../features/senders/search.ts";
import { validateSearch as sessionSearch } from "../features/session/search.ts";
import { validateSearch as webhooksSearch } from "../features/webhooks/search.ts";
import { lazyComponent } from "../shared/lazy-part.tsx";
import { chooseWebsite } from "./current-website.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { ShellError, ShellPending } from "./outside-shell.tsx";
import { PageError } from "./page-error.tsx";
import { PagePending } from "./page-pending.tsx";
import { only, parseSearch, stringifySearch } from "./search-params.ts";
import { Shell } from "./shell.tsx";
import { WebsiteGate } from "./website-gate.tsx";

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
}

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: "/dashboard",
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    // Pages fetch their own data; the router caches none.
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: PagePending,
    defaultPendingMs: 300,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

interface Context {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  errorComponent: ShellError,
  validateSearch: ({ website }: Record<string, unknown>): { website?: string | undefined } => ({
    website: typeof website === "string" ? website : undefined,
  }),
  // Navigation keeps the tab's website.
  search: { middlewares: [retainSearchParams(["website"])] },
});

// A separate constant, because `beforeLoad` needs its type.
const signInSearch = only(sessionSearch);
const signIn = createRoute({
  getParentRoute: () => root,
  path: "sign-in",
  validateSearch: signInSearch,
  beforeLoad: async ({ context, search }) => {
    const session = await fetchSession(context.queryClient);
    if (session !== null) throw redirect({ href: search.to ?? "/", replace: true });
  },
  component: lazyComponent(() => import("../features/session/sign-in-page.tsx"), "SignInPage"),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: "welcome",
  component: lazyComponent(() => import("../features/session/welcome-page.tsx"), "WelcomePage"),
});

/** For people without an account. */
const guest = createRoute({
  getParentRoute: () => root,
  path: "review",
  component: lazyComponent(() => import("../features/review/guest/guest-page.tsx"), "GuestPage"),
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: "confirm-email",
  component: lazyComponent(() => import("../features/session/email-link-page.tsx"), "ConfirmEmailPage"),
});

const undoEmail = createRoute({
  getParentRoute: () => root,
  path: "undo-email",
  component: lazyComponent(() => import("../features/session/email-link-page.tsx"), "UndoEmailPage"),
});

const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: "unsubscribe",
  component: lazyComponent(() => import("../features/session/unsubscribe-page.tsx"), "UnsubscribePage"),
});

/** The website whose requests a page may start before its script has run; null: none. */
function readableWebsite({ queryClient }: Context, named: string | undefined): string | null {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  const id = session == null ? null : chooseWebsite(session, named);
  return session?.websites.some((one) => one.id === id && !one.needs_second_factor) === true ? id : null;
}

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  pendingComponent: ShellPending,
  errorComponent: ShellError,
  beforeLoad: async ({ context, location, search }) => {
    const session = await fetchSession(context.queryClient);
    if (session === null) throw redirect({ to: "/sign-in", search: { to: location.href } });
    // With several websites the current one is in the URL, so that it survives a reload and can be shared.
    if (search.website === undefined && session.websites.length > 1) {
      const website = chooseWebsite(session, undefined);
      throw redirect({
        to: location.pathname as "/",
        search: { ...location.search, ...(website !== null && { website }) },
        hash: location.hash,
        replace: true,
      });
    }
  },
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "settings/account",
  component: lazyComponent(() => import("../features/account/account-page.tsx"), "AccountPage"),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: "inbox",
  validateSearch: only(inboxSearch),
  component: lazyComponent(() => import("../features/inbox/inbox-page.tsx"), "InboxPage"),
});

const members = createRoute({
  getParentRoute: () => signedIn,
  path: "settings/members",
  validateSearch: only(membersSearch),
  component: lazyComponent(() => import("../features/members/members-page.tsx"), "MembersPage"),
});

const deadLetters = createRoute({
  getParentRoute: () => signedIn,
  path: "settings/dead-letters",
  component: lazyComponent(() => import("../features/dead-letters/dead-letters-page.tsx"), "DeadLettersPage"),
});

const newWebsite = createRoute({
  getParentRoute: () => signedIn,
  path: "websites/new",
  component: lazyComponent(() => import("../features/websites/new-website-page.tsx"), "NewWebsitePage"),
});

/** Inside the shell, so that the navigation stays available. */
const notFoundRoute = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFoundPage });

/** Pages of one website; not shown to users without a website. */
const ofWebsite = createRoute({ getParentRoute: () => signedIn, id: "website", component: WebsiteGate });

const overview = createRoute({
  getParentRoute: () => ofWebsite,
  path: "/",
  component: lazyComponent(() => import("../features/overview/overview-page.tsx"), "OverviewPage"),
});

const gettingStarted = createRoute({
  getParentRoute: () => ofWebsite,
  path: "getting-started",
  component: lazyComponent(() => import("../features/getting-started/getting-started-page.tsx"), "GettingStartedPage"),
});

// A separate constant, because `loader` needs its type.
const articlesOnly = only(articlesSearch);
const articles = createRoute({
  getParentRoute: () => ofWebsite,
  path: "articles",
  validateSearch: articlesOnly,
  loaderDeps: ({ search }) => search,
  // The page shows what fails.
  loader: ({ context, deps }) => {
    const website = readableWebsite(context, deps.website);
    if (website === null) return;
    void context.queryClient.prefetchQuery(pageQuery(website, deps));
    void context.queryClient.prefetchQuery(countsQuery(website));
  },
  component: lazyComponent(() => import("../features/articles/articles-page.tsx"), "ArticlesPage"),
});

const newArticle = createRoute({
  getParentRoute: () => ofWebsite,
  path: "articles/new",
  loader: preloadEditor,
  component: lazyComponent(() => import("../features/review/new-page.tsx"), "NewArticlePage"),
});

/** `search`: the review queue, as on the page before. */
const review = createRoute({
  getParentRoute: () => ofWebsite,
  path: "articles/$id",
  validateSearch: only(reviewSearch),
  component: lazyComponent(() => import("../features/review/review-page.tsx"), "ReviewPage"),
});

// A separate constant, because `loader` needs its type.
const editSearch = only(reviewSearch);
const edit = createRoute({
  getParentRoute: () => ofWebsite,
  path: "articles/$id/edit",
  validateSearch: editSearch,
  loaderDeps: ({ search: { website } }) => ({ website }),
  // The page shows what fails. The text is seen before the script that edits it is there.
  loader: ({ context, params, deps }) => {
    const website = readableWebsite(context, deps.website);
    if (website === null) return;
    void context.queryClient.prefetchQuery(reviewedQuery(website, params.id)).then(preloadEditor);
  },
  component: lazyComponent(() => import("../features/review/edit-page.tsx"), "EditPage"),
});

const importFiles = createRoute({
  getParentRoute: () => ofWebsite,
  path: "import",
  component: lazyComponent(() => import("../features/articles/import-page.tsx"), "ImportPage"),
});

const pictures = createRoute({
  getParentRoute: () => ofWebsite,
  path: "pictures",
  validateSearch: only(picturesSearch),
  component: lazyComponent(() => import("../features/assets/assets-page.tsx"), "AssetsPage"),
});

const apiKeys = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/api-keys",
  component: lazyComponent(() => import("../features/api-keys/api-keys-page.tsx"), "ApiKeysPage"),
});

const accessTokens = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/access-tokens",
  component: lazyComponent(() => import("../features/api-keys/access-tokens-page.tsx"), "AccessTokensPage"),
});

const senders = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/senders",
  component: lazyComponent(() => import("../features/senders/senders-page.tsx"), "SendersPage"),
});

const sender = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/senders/$id",
  validateSearch: only(senderSearch),
  component: lazyComponent(() => import("../features/senders/sender-page.tsx"), "SenderPage"),
});

const senderFields = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/senders/$id/fields",
  validateSearch: only(senderFieldsSearch),
  component: lazyComponent(() => import("../features/senders/fields-page.tsx"), "FieldsPage"),
});

const webhooks = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/webhooks",
  component: lazyComponent(() => import("../features/webhooks/webhooks-page.tsx"), "WebhooksPage"),
});

const webhook = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/webhooks/$id",
  validateSearch: only(webhooksSearch),
  component: lazyComponent(() => import("../features/webhooks/webhook-page.tsx"), "WebhookPage"),
});

const website = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/website",
  component: lazyComponent(() => import("../features/websites/website-page.tsx"), "WebsitePage"),
});

const audit = createRoute({
  getParentRoute: () => ofWebsite,
  path: "settings/audit",
  validateSearch: only(auditSearch),
  component: lazyComponent(() => import("../features/audit/audit-page.tsx"), "AuditPage"),
});

const routeTree = root.addChildren([
  signIn,
  welcome,
  guest,
  confirmEmail,
  undoEmail,
  unsubscribe,
  signedIn.addChildren([
    account,
    inbox,
    members,
    deadLetters,
    newWebsite,
    notFoundRoute,
    ofWebsite.addChildren([
      overview,
      gettingStarted,
      articles,
      newArticle,
      review,
      edit,
      importFiles,
      pictures,
      apiKeys,
      accessTokens,
      senders,
      sender,
      senderFields,
      webhooks,
      webhook,
      website,
      audit,
    ]),
  ]),
]);
