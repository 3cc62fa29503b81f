import {
  beginTotp,
  confirmTotp,
  disableTotp,
  readTotp,
  renewRecoveryCodes,
} from "../../../operations/people/second-factors.ts";
import { codeInput, proofInput, recoveryCodes, totpSecret, totpState } from "../contract/totp.ts";
import { type Admin, type AdminServer, getOrigin, getPerson } from "../routes.ts";

export function totpRoutes(app: AdminServer, admin: Admin): void {
  const { deps, throttle } = admin;
  const adds = { access: { own: "added" } } as const;

  app.get(
    "/totp",
    { config: { access: { own: "untouched" } }, schema: { response: { 200: totpState } } },
    async (request) => {
      const { isEnabled, recoveryCodesLeft } = await readTotp(deps, getPerson(request).account.id);
      return { enabled: isEnabled, recovery_codes_left: recoveryCodesLeft };
    },
  );

  app.post("/totp", { config: adds, schema: { body: proofInput, response: { 200: totpSecret } } }, async (request) => {
    const { account } = getPerson(request);
    return throttle.attempt([["account", account.id]], () => beginTotp(deps, account, request.body.current_password));
  });

  app.put("/totp", { config: adds, schema: { body: codeInput, response: { 200: recoveryCodes } } }, async (request) => {
    const { account, session } = getPerson(request);
    const codes = await throttle.attempt([["account", account.id]], () =>
      confirmTotp(deps, { accountId: account.id, sessionId: session.id }, request.body.code, getOrigin(admin, request)),
    );
    return { recovery_codes: codes };
  });

  app.post(
    "/totp/recovery-codes",
    { config: adds, schema: { body: proofInput, response: { 200: recoveryCodes } } },
    async (request) => {
      const { account } = getPerson(request);
      const codes = await throttle.attempt([["account", account.id]], () =>
        renewRecoveryCodes(deps, account, request.body.current_password, getOrigin(admin, request)),
      );
      return { recovery_codes: codes };
    },
  );

  app.delete(
    "/totp",
    { config: { access: { own: "removed" } }, schema: { body: proofInput } },
    async (request, reply) => {
      const { account } = getPerson(request);
      await throttle.attempt([["account", account.id]], () =>
        disableTotp(deps, account, request.body.current_password, getOrigin(admin, request)),
      );
      return reply.code(204).send();
    },
  );
}
