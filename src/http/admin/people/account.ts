import { setImmediate as nextTurn } from "node:timers/promises";
import { changePassword, renameAccount } from "../../../operations/people/accounts.ts";
import {
  cancelEmailChange,
  confirmEmailChange,
  readPendingEmail,
  requestEmailChange,
  undoEmailChange,
} from "../../../operations/people/email-changes.ts";
import { mailResetLink } from "../../../operations/people/forgotten-password.ts";
import { normaliseEmail } from "../../../domain/people/account.ts";
import { getClient, isSecure } from "../../connection/proxies.ts";
import {
  accountInput,
  changedEmail,
  emailInput,
  forgottenAnswer,
  forgottenInput,
  linkInput,
  passwordInput,
  pendingEmail,
  undoneEmail,
} from "../contract/session.ts";
import { readDeviceCookie, sessionCookie } from "../cookie.ts";
import { type Admin, type AdminServer, getOrigin, getPerson } from "../routes.ts";

export function accountRoutes(app: AdminServer, admin: Admin): void {
  app.put(
    "/password",
    { config: { access: { own: "untouched" } }, schema: { body: passwordInput } },
    async (request, reply) => {
      const { account, session } = getPerson(request);
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
      await renameAccount(admin.deps, getPerson(request).account, request.body.name, getOrigin(admin, request));
      return reply.code(204).send();
    },
  );

  forgottenPasswordRoutes(app, admin);
  emailRoutes(app, admin);
}

function forgottenPasswordRoutes(app: AdminServer, { deps, publicUrl, throttle }: Admin): void {
  const schema = { response: { 200: forgottenAnswer } };
  app.get("/forgotten-password", { config: { access: "anyone" }, schema }, () => ({ mailed: deps.mail !== null }));

  app.post(
    "/forgotten-password",
    { config: { access: "anyone" }, schema: { ...schema, body: forgottenInput } },
    ({ raw, body: { email } }) => {
      const { address } = getClient(raw, publicUrl);
      throttle.spend([
        ["asker", address],
        ["mailed", normaliseEmail(email)],
      ]);
      // The answer and its timing must not reveal whether the account exists.
      deps.later(nextTurn().then(() => mailResetLink(deps, email, address)));
      return { mailed: deps.mail !== null };
    },
  );
}

function emailRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl, throttle } = admin;
  const own = { access: { own: "untouched" } } as const;

  app.get("/account/email", { config: own, schema: { response: { 200: pendingEmail } } }, async (request) => ({
    pending: await readPendingEmail(deps, getPerson(request).account.id),
    available: deps.mail !== null,
  }));

  app.put("/account/email", { config: own, schema: { body: emailInput } }, async (request, reply) => {
    const { account, session } = getPerson(request);
    const { current_password: password, email } = request.body;
    await throttle.attempt([["account", account.id]], async () => {
      const whose = { account, sessionId: session.id };
      const limit = () => throttle.spend([["mailed", `account ${account.id}`]]);
      await requestEmailChange(deps, whose, { password, email }, getOrigin(admin, request), limit);
    });
    return reply.code(204).send();
  });

  app.delete("/account/email", { config: own }, async (request, reply) => {
    await cancelEmailChange(deps, getPerson(request).account.id);
    return reply.code(204).send();
  });

  // Works without a session: the e-mail may be read in another browser.
  app.post(
    "/confirm-email",
    { config: { access: "anyone" }, schema: { body: linkInput, response: { 200: changedEmail } } },
    async ({ raw, body }) => {
      const { address } = getClient(raw, publicUrl);
      const email = await throttle.attempt([["mailedLink", address]], () =>
        confirmEmailChange(deps, body.token, address),
      );
      return { email };
    },
  );

  app.post(
    "/undo-email",
    { config: { access: "anyone" }, schema: { body: linkInput, response: { 200: undoneEmail } } },
    ({ raw, body }) => {
      const { address } = getClient(raw, publicUrl);
      return throttle.attempt([["mailedLink", address]], () => undoEmailChange(deps, body.token, address));
    },
  );
}
