/**
 * The dashboard's own API, under /dashboard/api. Each route says who may use it (access.ts); one that does not is refused
 * when the service starts.
 *
 *     POST   session                  session.ts    sign in
 *     GET    session                                who am I
 *     DELETE session                                sign out
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
 */
import fastify, { type FastifyInstance } from "fastify";
import { Passwords } from "../../operations/passwords.ts";
import { addManners } from "../manners.ts";
import { requireAccess } from "./access.ts";
import { auditRoutes } from "./audit.ts";
import { Background } from "./background.ts";
import { ADMIN_PREFIX, type AdminOptions } from "./lazy.ts";
import { memberRoutes } from "./members.ts";
import { passwordRoutes } from "./password.ts";
import { passkeyRoutes } from "./passkeys.ts";
import type { Admin, AdminServer } from "./routes.ts";
import { sessionRoutes } from "./session.ts";
import { sessionsRoutes } from "./sessions.ts";
import { Throttle } from "./throttle.ts";
import { totpRoutes } from "./totp.ts";
import { welcomeRoutes } from "./welcome.ts";

const LARGEST_BODY_BYTES = 65_536;

/** Ready to be asked; it listens nowhere itself. */
export async function buildAdmin(options: AdminOptions): Promise<FastifyInstance> {
  const { deps, log, onError, ...others } = options;
  const app = fastify({
    bodyLimit: LARGEST_BODY_BYTES,
    // What is not as the contract says is refused, not repaired.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  });
  const background = new Background(onError);
  const passwords = new Passwords(deps.randomBytes);
  const admin: Admin = {
    deps: { ...deps, passwords, later: (work) => background.add(work) },
    ...others,
    throttle: new Throttle(() => performance.now()),
  };
  await addManners(app, log);
  app.addHook("onClose", () => background.settled());
  await app.register(
    async (routes: AdminServer) => {
      requireAccess(routes, admin);
      sessionRoutes(routes, admin);
      welcomeRoutes(routes, admin);
      sessionsRoutes(routes, admin);
      passwordRoutes(routes, admin);
      totpRoutes(routes, admin);
      passkeyRoutes(routes, admin);
      memberRoutes(routes, admin);
      auditRoutes(routes, admin);
    },
    { prefix: ADMIN_PREFIX.slice(0, -1) },
  );
  await app.ready();
  return app;
}
