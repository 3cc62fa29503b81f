/**
 * The dashboard's own API, under /dashboard/api. Each route says who may use it (access.ts); one that does not is refused
 * when the service starts.
 *
 *     POST   session                  session.ts    sign in
 *     GET    session                                who am I
 *     DELETE session                                sign out
 *     POST   session/confirm                        the password once more, before others are ended or factors removed
 *     POST   welcome, welcome/link    welcome.ts    first owner, invitation, reset; what a link is for
 *     GET    sessions                 sessions.ts   where I am signed in
 *     DELETE sessions/:id
 *     PUT    password                 password.ts
 *     GET, POST, PUT, DELETE totp     totp.ts       see, begin, confirm, turn off
 *     POST   totp/recovery-codes
 *     POST   session/passkey[/options]  passkeys.ts  sign in by one
 *     GET, POST passkeys                             see, add
 *     POST   passkeys/options
 *     DELETE passkeys/:id
 *     GET, POST, PATCH, DELETE members  members.ts
 *     POST   members/:id/invitation
 *     GET    audit                    audit.ts
 *     GET    articles                 articles.ts   lists
 *     GET    articles/counts                        of every view
 *     GET    articles/place                         of one article in a list
 *     GET    articles/labels                        to filter by
 *     POST   articles/bulk/approve, publish, approve-and-publish, unpublish, delete, restore   bulk.ts
 *     POST   imports                  imports.ts    from a file
 *     GET    exports                  exports.ts    as a file
 *     GET    articles/:id             review.ts     one article
 *     POST   articles/:id/approve, request-changes, publish, approve-and-publish, schedule, unpublish, delete, restore
 *     POST   articles                 edits.ts      a new one
 *     PATCH  articles/:id
 *     POST   articles/:id/draft/publish             the draft copy becomes live
 *     DELETE articles/:id/draft
 *     POST   articles/preview                       saves nothing
 *     GET    articles/:id/history     history.ts
 *     GET    articles/:id/comparison                with what was approved, what is live, the draft copy
 *     GET    articles/:id/revisions/:revision
 *     POST   articles/:id/revisions/:revision/restore
 *     POST   websites                 websites.ts
 *     GET, PATCH websites/:id
 *     GET, POST api-keys              api-keys.ts
 *     POST   api-keys/:id/revoke
 *     GET, POST webhooks              webhooks.ts
 *     POST   webhooks/check                         whether an address could be one's
 *     GET, PATCH, DELETE webhooks/:id
 *     POST   webhooks/:id/test, pause, enable, rotate, replay
 *     GET    webhooks/:id/deliveries  deliveries.ts
 *     GET    deliveries/:id
 *     POST   deliveries/:id/redeliver
 *     GET    dead-letters             dead-letters.ts  work that was set aside, of every website
 *     POST   dead-letters/retry, discard
 *     GET    overview                 overview.ts
 *     GET    getting-started          getting-started.ts
 *     GET    live                     live.ts       server-sent events: what has changed
 */
import type { FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";
import { apiKeyRoutes } from "./api-keys.ts";
import { articleRoutes } from "./articles.ts";
import { buildAdminServer } from "./admin-server.ts";
import { auditRoutes } from "./audit.ts";
import { bulkRoutes } from "./bulk.ts";
import { deadLetterRoutes } from "./dead-letters.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { editRoutes } from "./edits.ts";
import { exportRoutes } from "./exports.ts";
import { forwardLongBodies } from "./forward-long-bodies.ts";
import { historyRoutes } from "./history.ts";
import { importRoutes } from "./imports.ts";
import type { AdminOptions } from "./lazy.ts";
import { gettingStartedRoutes } from "./getting-started.ts";
import { liveRoutes } from "./live.ts";
import { memberRoutes } from "./members.ts";
import { overviewRoutes } from "./overview.ts";
import { passwordRoutes } from "./password.ts";
import { passkeyRoutes } from "./passkeys.ts";
import { reviewRoutes } from "./review.ts";
import type { AdminServer } from "./routes.ts";
import { sessionRoutes } from "./session.ts";
import { sessionsRoutes } from "./sessions.ts";
import { totpRoutes } from "./totp.ts";
import { webhookRoutes } from "./webhooks.ts";
import { websiteRoutes } from "./websites.ts";
import { welcomeRoutes } from "./welcome.ts";

/** Ready to be asked; it listens nowhere itself. `stopping`: aborted when the service stops. */
export async function buildAdmin(
  options: AdminOptions,
  stopping: AbortSignal = new AbortController().signal,
): Promise<FastifyInstance> {
  const { catalog, longWork, uploads, requestIds } = options;
  const accept = (request: IncomingMessage) => requestIds.take(request);
  return buildAdminServer({ ...options, accept }, stopping, (routes, admin) => {
    sessionRoutes(routes, admin);
    welcomeRoutes(routes, admin);
    sessionsRoutes(routes, admin);
    passwordRoutes(routes, admin);
    totpRoutes(routes, admin);
    passkeyRoutes(routes, admin);
    memberRoutes(routes, admin);
    auditRoutes(routes, admin);
    articleRoutes(routes, admin, catalog);
    bulkRoutes(routes, admin);
    importRoutes(routes, admin, { longWork, uploads });
    exportRoutes(routes, admin);
    reviewRoutes(routes, admin);
    void routes.register(async (edits: AdminServer) => {
      forwardLongBodies(edits, longWork);
      editRoutes(edits, admin);
    });
    historyRoutes(routes, admin);
    websiteRoutes(routes, admin);
    apiKeyRoutes(routes, admin);
    webhookRoutes(routes, admin);
    deliveryRoutes(routes, admin);
    deadLetterRoutes(routes, admin);
    overviewRoutes(routes, admin, catalog);
    gettingStartedRoutes(routes, admin, catalog);
    liveRoutes(routes, admin);
  });
}
