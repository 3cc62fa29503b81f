import { normaliseEmail } from "../../domain/account.ts";
import { permissionsOf, roleOn } from "../../domain/permissions.ts";
import { isoTime } from "../../domain/time.ts";
import { endSession, type SignedIn } from "../../operations/sessions.ts";
import { signIn } from "../../operations/sign-in.ts";
import { listWebsites } from "../../operations/websites.ts";
import { clientOf, isSecure } from "./client.ts";
import { signInAnswer, signInInput, whoAmI } from "./contract/session.ts";
import { clearedCookie, sessionCookie } from "./cookie.ts";
import { type Admin, type AdminServer, originOf, signedInOf } from "./routes.ts";

export function sessionRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl, throttle } = admin;

  app.post(
    "/session",
    { config: { access: "anyone" }, schema: { body: signInInput, response: { 200: signInAnswer } } },
    async ({ raw, body }, reply) => {
      const client = clientOf(raw, publicUrl);
      const email = normaliseEmail(body.email);
      const tries = [
        ["all", ""],
        ["address", client.address],
        ["email", email],
        ...(body.code === undefined ? [] : [["code", email] as const]),
      ] as const;
      const result = await throttle.attempt(tries, () => signIn(deps, body, client));
      if (result === "needs-code") return { second_factor: "totp" as const };
      void reply.header("Set-Cookie", sessionCookie(result.token, isSecure(raw, publicUrl)));
      return { second_factor: null };
    },
  );

  app.get("/session", { config: { access: "self" }, schema: { response: { 200: whoAmI } } }, async (request) => {
    const { account, session, memberships } = signedInOf(request);
    const everywhere = roleOn(memberships, null);
    return {
      account: { id: account.id, email: account.email, name: account.name },
      session: { id: session.id, created_at: isoTime(session.createdAt) },
      everywhere: { role: everywhere, permissions: permissionsOf(everywhere) },
      websites: await visibleWebsites(admin, memberships),
    };
  });

  app.delete("/session", { config: { access: "self" } }, async (request, reply) => {
    const { account, session } = signedInOf(request);
    await endSession(deps, account.id, session.id, originOf(admin, request));
    return reply
      .header("Set-Cookie", clearedCookie(isSecure(request.raw, publicUrl)))
      .code(204)
      .send();
  });
}

async function visibleWebsites({ deps }: Admin, memberships: SignedIn["memberships"]) {
  return (await listWebsites(deps)).flatMap(({ id, name }) => {
    const role = roleOn(memberships, id);
    return role === null ? [] : [{ id, name, role, permissions: permissionsOf(role) }];
  });
}
