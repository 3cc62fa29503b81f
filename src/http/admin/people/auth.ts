import { normaliseEmail } from "../../../domain/people/account.ts";
import { listPermissions, type Role, roleOn } from "../../../domain/people/permissions.ts";
import { DAY_MS, isoTime } from "../../../domain/system/time.ts";
import { confirmPassword } from "../../../operations/people/accounts.ts";
import { knownDevice } from "../../../operations/people/devices.ts";
import { endSession, type SignedIn } from "../../../operations/people/sessions.ts";
import { signIn } from "../../../operations/people/sign-in.ts";
import { readLiveState } from "../../../operations/people/change-stream.ts";
import { listWebsites } from "../../../operations/website/websites.ts";
import { getClient, isSecure } from "../../connection/proxies.ts";
import { signInAnswer, sessionParameters, signInInput, whoAmI } from "../contract/session.ts";
import { clearedCookie, readDeviceCookie, setCookies } from "../cookie.ts";
import { proofInput } from "../contract/totp.ts";
import { type Admin, type AdminServer, getOrigin, getPerson } from "../routes.ts";

export function sessionRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl, throttle } = admin;

  app.post(
    "/session",
    { config: { access: "anyone" }, schema: { body: signInInput, response: { 200: signInAnswer } } },
    async ({ raw, body }, reply) => {
      const email = normaliseEmail(body.email);
      const client = { ...getClient(raw, publicUrl), device: readDeviceCookie(raw, email, isSecure(raw, publicUrl)) };
      const device = await knownDevice(deps, email, client.device);
      const tries =
        device === null
          ? ([
              ["all", ""],
              ["address", client.address],
              ["email", email],
            ] as const)
          : ([["device", device]] as const);
      const result = await throttle.attempt(tries, () =>
        signIn(deps, body, client, (accountId, work) => throttle.attempt([["code", device ?? accountId]], work)),
      );
      if (result === "needs-code") return { second_factor: "totp" as const };
      setCookies(reply, result, email, isSecure(raw, publicUrl));
      return { second_factor: null };
    },
  );

  app.get(
    "/session",
    {
      config: { access: { own: "untouched" } },
      schema: { querystring: sessionParameters, response: { 200: whoAmI } },
    },
    async (request) => {
      const { account, session, memberships } = getPerson(request);
      const everywhere = roleOn(memberships, null);
      const websites = await visibleWebsites(admin, getPerson(request));
      // The website that the page is going to show, as the page itself chooses it.
      const shown = websites.find(({ id }) => id === request.query.website_id) ?? websites[0];
      const live =
        shown === undefined || shown.needs_second_factor
          ? null
          : { website_id: shown.id, since: await readLiveState(deps, shown.id, session.id) };
      return {
        account: { id: account.id, email: account.email, name: account.name },
        session: { id: session.id, created_at: isoTime(session.createdAt) },
        everywhere: { role: everywhere, permissions: listPermissions(everywhere) },
        second_factor: session.hasSecondFactor,
        trash_days: admin.trashMs === null ? null : admin.trashMs / DAY_MS,
        live,
        websites,
      };
    },
  );

  app.post(
    "/session/confirm",
    { config: { access: { own: "untouched" } }, schema: { body: proofInput } },
    async (request, reply) => {
      const { account, session } = getPerson(request);
      await throttle.attempt([["account", account.id]], () =>
        confirmPassword(deps, { account, sessionId: session.id }, request.body.current_password),
      );
      return reply.code(204).send();
    },
  );

  app.delete("/session", { config: { access: { own: "untouched" } } }, async (request, reply) => {
    const { account, session } = getPerson(request);
    await endSession(deps, account.id, session.id, getOrigin(admin, request));
    return reply
      .header("Set-Cookie", clearedCookie(isSecure(request.raw, publicUrl)))
      .code(204)
      .send();
  });
}

async function visibleWebsites({ deps }: Admin, { memberships, withoutFactor }: SignedIn) {
  return (await listWebsites(deps)).flatMap(({ id, name, timeZone }) => {
    const role = roleOn(memberships, id);
    return role === null
      ? []
      : [{ id, name, time_zone: timeZone, role, ...presentAccess(role, withoutFactor.has(id)) }];
  });
}

/** The permissions on the website; none while it requires a second factor that the session has not shown. */
function presentAccess(role: Role, isWaiting: boolean) {
  return { permissions: isWaiting ? [] : listPermissions(role), needs_second_factor: isWaiting };
}
