/**
 * The dashboard's own API, under /dashboard/api; the management API, with some of the same routes, is beside it
 * (../management/management.ts), and so are the tools of agents (../agents/mcp.ts) and the addresses of senders
 * (../senders/senders.ts). Each route declares who may use it
 * (access.ts); without that, the service does not start.
 *
 *     people/auth.ts
 *       POST session                                   sign in
 *       GET session                                    signed-in user
 *       DELETE session                                 sign out
 *       POST session/confirm                           password again, before ending other sessions or removing factors
 *     people/one-time-links.ts
 *       POST welcome, welcome/link                     first owner, invitation, reset; purpose of a link
 *     people/sessions.ts
 *       GET sessions                                   sessions of the signed-in user
 *       DELETE sessions/:id
 *     people/account.ts
 *       PUT password
 *       PATCH account                                  the name
 *       GET, POST forgotten-password                   a link by e-mail
 *       GET, PUT, DELETE account/email                 the address that waits to be confirmed
 *       POST confirm-email, undo-email                 with the link that was mailed
 *     people/inbox.ts
 *       GET inbox, inbox/unread                        what the user was told, on all websites
 *       POST inbox/read, inbox/read-all
 *       GET, PUT notification-settings                 what is e-mailed
 *     people/unsubscribe.ts
 *       GET, POST unsubscribe, POST unsubscribe/link   by the link in an e-mail
 *     people/totp.ts
 *       GET, POST, PUT, DELETE totp                    status, begin, confirm, turn off
 *       POST totp/recovery-codes
 *     people/passkeys.ts
 *       POST session/passkey[/options]                 sign in with a passkey
 *       GET, POST passkeys                             list, add
 *       POST passkeys/options
 *       DELETE passkeys/:id
 *     people/members.ts
 *       GET, POST, PATCH, DELETE members
 *       POST members/:id/invitation
 *     people/api-keys.ts
 *       GET, POST api-keys
 *       POST api-keys/:id/revoke
 *     people/access-tokens.ts
 *       GET, POST access-tokens
 *       POST access-tokens/:id/revoke
 *     articles/articles.ts
 *       GET articles                                   lists
 *       GET articles/counts                            for each view
 *       GET articles/place                             position of one article in a list
 *       GET articles/labels                            categories and tags to filter by
 *     articles/bulk.ts
 *       POST articles/bulk/:action                     approve, publish, approve-and-publish, unpublish, delete, restore
 *       POST articles/bulk/stop                        one of your own, after its current batch
 *     articles/imports.ts
 *       POST imports                                   from a file
 *     articles/assets.ts
 *       GET, POST assets                               pictures; a new one, as a file
 *       PATCH, DELETE assets/:id
 *     articles/senders.ts
 *       GET, POST senders
 *       GET senders/kinds                              what can be connected
 *       GET, PATCH, DELETE senders/:id
 *       POST senders/:id/rotate
 *       POST senders/:id/sample                        what a request would become; saves nothing
 *       GET senders/:id/arrivals                       what it has sent
 *       POST senders/:id/run-again                     all that needs attention
 *       GET arrivals/:id                               with the raw request
 *       POST arrivals/:id/run-again
 *     articles/exports.ts
 *       GET exports                                    as a file
 *     articles/review.ts
 *       GET articles/:id                               one article
 *       POST articles/:id/:action                      as in bulk, and request-changes, schedule
 *       POST, DELETE articles/:id/site-previews        links that show it on its website
 *     articles/links.ts
 *       GET articles/:id/picture                       a picture of it, fetched by the service
 *       POST articles/:id/links                        where its links lead
 *     articles/comments.ts
 *       GET, POST articles/:id/comments                threads, with the places of their passages
 *       GET articles/:id/mentionable                   members who can be mentioned
 *       PATCH, DELETE articles/:id/comments/:comment
 *       POST articles/:id/comments/:comment/:action    replies, resolve, reopen, apply
 *     articles/review-links.ts
 *       GET, POST articles/:id/review-links            for people without an account
 *       DELETE articles/:id/review-links/:link
 *       POST guest-review, guest-review/decision       what such a person sees and decides
 *       POST guest-review/comments, guest-review/replies
 *     articles/working-copies.ts
 *       GET articles/:id/working-copies                what the user has typed and not saved
 *       PUT, DELETE articles/:id/working-copies/:copy
 *       GET working-copies                             the same for articles that do not exist yet
 *       PUT, DELETE working-copies/:copy
 *     articles/presence.ts
 *       GET, PUT, DELETE articles/:id/presence         who reads or edits it now
 *     articles/edits.ts
 *       POST articles                                  new article
 *       PATCH articles/:id
 *       POST articles/:id/draft/publish                make the draft copy live
 *       DELETE articles/:id/draft
 *       POST articles/preview                          saves nothing
 *     articles/history.ts
 *       GET articles/:id/history
 *       GET articles/:id/comparison                    with the approved and live versions and the draft copy
 *       GET articles/:id/deliveries                    whether the webhooks have heard of it
 *       GET articles/:id/redline-bases                 earlier texts that differ: last review, request, approval
 *       GET articles/:id/redline                       what changed between two texts, marked in the text
 *       GET articles/:id/revisions/:revision
 *       POST articles/:id/revisions/:revision/restore
 *     webhooks/webhooks.ts
 *       GET, POST webhooks
 *       POST webhooks/check                            whether a URL can be a webhook's
 *       GET, PATCH, DELETE webhooks/:id
 *       POST webhooks/:id/test, pause, enable, rotate, replay, retry
 *       GET webhooks/:id/replay                        how many events it would send
 *     webhooks/deliveries.ts
 *       GET webhooks/:id/deliveries
 *       GET deliveries/:id
 *       POST deliveries/:id/redeliver
 *     webhooks/dead-letters.ts
 *       GET dead-letters                               failed work, of all websites
 *       POST dead-letters/retry, discard
 *     website/websites.ts
 *       POST websites
 *       GET, PATCH, DELETE websites/:id
 *       GET websites/:id/contents                      what is deleted with it
 *     system/audit.ts
 *       GET audit
 *     website/overview.ts
 *       GET overview
 *     website/getting-started.ts
 *       GET getting-started
 *     system/live.ts
 *       GET live                                       server-sent events about changes
 */
import { brotliCompress, constants, gzip } from "node:zlib";
import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";
import { bySession } from "./access.ts";
import { agentRoutes } from "../agents/mcp.ts";
import { managementRoutes } from "../management/management.ts";
import { byToken } from "../management/token-access.ts";
import { bySender, senderRoutes } from "../senders/senders.ts";
import { accessTokenRoutes } from "./people/access-tokens.ts";
import { accountRoutes } from "./people/account.ts";
import { apiKeyRoutes } from "./people/api-keys.ts";
import { articleRoutes } from "./articles/articles.ts";
import { assetRoutes } from "./articles/assets.ts";
import { buildAdminServer } from "./admin-server.ts";
import { auditRoutes } from "./system/audit.ts";
import { bulkRoutes } from "./articles/bulk.ts";
import { commentRoutes } from "./articles/comments.ts";
import { linkRoutes } from "./articles/links.ts";
import { deadLetterRoutes } from "./webhooks/dead-letters.ts";
import { deliveryRoutes } from "./webhooks/deliveries.ts";
import { editRoutes } from "./articles/edits.ts";
import { exportRoutes } from "./articles/exports.ts";
import { forwardLongBodies } from "./forward-long-bodies.ts";
import { historyRoutes } from "./articles/history.ts";
import { importRoutes } from "./articles/imports.ts";
import { ADMIN_PREFIX, AGENTS_PATH, type AdminOptions, MANAGEMENT_PREFIX, SENDERS_PREFIX } from "./admin-options.ts";
import { gettingStartedRoutes } from "./website/getting-started.ts";
import { inboxRoutes } from "./people/inbox.ts";
import { liveRoutes } from "./system/live.ts";
import { memberRoutes } from "./people/members.ts";
import { overviewRoutes } from "./website/overview.ts";
import { passkeyRoutes } from "./people/passkeys.ts";
import { reviewLinkRoutes } from "./articles/review-links.ts";
import { workingCopyRoutes } from "./articles/working-copies.ts";
import { presenceRoutes } from "./articles/presence.ts";
import { reviewRoutes } from "./articles/review.ts";
import type { Admin, AdminServer } from "./routes.ts";
import { senderManagementRoutes } from "./articles/senders.ts";
import { sessionRoutes } from "./people/auth.ts";
import { sessionsRoutes } from "./people/sessions.ts";
import { totpRoutes } from "./people/totp.ts";
import { unsubscribeRoutes } from "./people/unsubscribe.ts";
import { webhookRoutes } from "./webhooks/webhooks.ts";
import { websiteRoutes } from "./website/websites.ts";
import { welcomeRoutes } from "./people/one-time-links.ts";
import { chooseEncoding } from "../request.ts";

/** Builds the dashboard's API, ready for requests but not listening. `stopping`: aborted when the service stops. */
export async function buildAdmin(
  options: AdminOptions,
  stopping: AbortSignal = new AbortController().signal,
): Promise<FastifyInstance> {
  const { readModel, dashboardThread, uploads, requestIds } = options;
  const accept = (request: IncomingMessage) => requestIds.take(request);
  const addRoutes = (routes: AdminServer, admin: Admin): void => {
    compressJson(routes);
    sessionRoutes(routes, admin);
    welcomeRoutes(routes, admin);
    sessionsRoutes(routes, admin);
    accountRoutes(routes, admin);
    inboxRoutes(routes, admin);
    unsubscribeRoutes(routes, admin);
    totpRoutes(routes, admin);
    passkeyRoutes(routes, admin);
    memberRoutes(routes, admin);
    auditRoutes(routes, admin);
    articleRoutes(routes, admin, readModel);
    bulkRoutes(routes, admin, { readModel, dashboardThread });
    importRoutes(routes, admin, { dashboardThread, uploads });
    assetRoutes(routes, admin, { uploads });
    senderManagementRoutes(routes, admin);
    exportRoutes(routes, admin);
    reviewRoutes(routes, admin);
    commentRoutes(routes, admin);
    linkRoutes(routes, admin);
    reviewLinkRoutes(routes, admin);
    workingCopyRoutes(routes, admin);
    presenceRoutes(routes, admin);
    void routes.register(async (edits: AdminServer) => {
      forwardLongBodies(edits, dashboardThread);
      editRoutes(edits, admin);
    });
    historyRoutes(routes, admin);
    websiteRoutes(routes, admin);
    apiKeyRoutes(routes, admin);
    accessTokenRoutes(routes, admin);
    webhookRoutes(routes, admin);
    deliveryRoutes(routes, admin);
    deadLetterRoutes(routes, admin);
    overviewRoutes(routes, admin, readModel);
    gettingStartedRoutes(routes, admin, readModel);
    liveRoutes(routes, admin);
  };
  const addManagement = (routes: AdminServer, admin: Admin): void => {
    compressJson(routes);
    managementRoutes(routes, admin, options);
  };
  return buildAdminServer({ ...options, accept }, stopping, [
    { prefix: ADMIN_PREFIX, authentication: bySession, addRoutes },
    { prefix: MANAGEMENT_PREFIX, authentication: byToken, addRoutes: addManagement },
    {
      prefix: `${AGENTS_PATH}/`,
      authentication: byToken,
      addRoutes: (routes) => agentRoutes(routes, dashboardThread, options.metrics),
    },
    {
      prefix: SENDERS_PREFIX,
      authentication: bySender,
      addRoutes: (routes, admin) => senderRoutes(routes, admin, options),
    },
  ]);
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Each response is compressed for one reader: a fast level. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

/** Compresses JSON that is worth it, off the event loop. Streams and files pass as they are. */
function compressJson(app: AdminServer): void {
  app.addHook("onSend", async (request, reply, payload) => {
    const isText = typeof payload === "string" || Buffer.isBuffer(payload);
    if (!isText || reply.hasHeader("Content-Encoding")) return payload;
    if (!String(reply.getHeader("Content-Type")).startsWith("application/json")) return payload;
    const encoding = chooseEncoding(request.headers["accept-encoding"], Buffer.byteLength(payload));
    if (encoding === "identity") return payload;
    void reply.header("Content-Encoding", encoding).removeHeader("Content-Length");
    return encoding === "br"
      ? compressBrotli(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : compressGzip(payload, { level: GZIP_LEVEL });
  });
}
