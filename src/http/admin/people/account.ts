import { changePassword, renameAccount } from "../../../operations/people/accounts.ts";
import { isSecure } from "../client-address.ts";
import { accountInput, passwordInput } from "../contract/session.ts";
import { readDeviceCookie, sessionCookie } from "../cookie.ts";
import { type Admin, type AdminServer, getOrigin, getSignedIn } from "../routes.ts";

export function accountRoutes(app: AdminServer, admin: Admin): void {
  app.put(
    "/password",
    { config: { access: { own: "untouched" } }, schema: { body: passwordInput } },
    async (request, reply) => {
      const { account, session } = getSignedIn(request);
      const isTls = isSecure(request.raw, admin.publicUrl);
      const device = readDeviceCookie(request.raw, account.email, isTls);
      const passwords = { current: request.body.current_password, next: request.body.password };
      const token = await admin.throttle.attempt([["account", account.id]], () =>
        changePassword(admin.deps, { account, sessionId: session.id, device }, passwords, getOrigin(admin, request)),
      );
      return reply.header("Set-Cookie", sessionCookie(token, isTls)).code(204).send();
    },
  );

  app.patch(
    "/account",
    { config: { access: { own: "untouched" } }, schema: { body: accountInput } },
    async (request, reply) => {
      await renameAccount(admin.deps, getSignedIn(request).account, request.body.name, getOrigin(admin, request));
      return reply.code(204).send();
    },
  );
}
