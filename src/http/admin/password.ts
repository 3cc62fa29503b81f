import { changePassword } from "../../operations/accounts.ts";
import { passwordInput } from "./contract/session.ts";
import { type Admin, type AdminServer, originOf, signedInOf } from "./routes.ts";

export function passwordRoutes(app: AdminServer, admin: Admin): void {
  app.put("/password", { config: { access: "self" }, schema: { body: passwordInput } }, async (request, reply) => {
    const { account, session } = signedInOf(request);
    const passwords = { current: request.body.current_password, next: request.body.password };
    await admin.throttle.attempt([["account", account.id]], () =>
      changePassword(admin.deps, { account, sessionId: session.id }, passwords, originOf(admin, request)),
    );
    return reply.code(204).send();
  });
}
