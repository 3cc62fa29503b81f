import type { IncomingMessage } from "node:http";
import { AppError } from "../../../domain/system/errors.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  listPasskeys,
  type RelyingParty,
  removePasskey,
  signInByPasskey,
} from "../../../operations/people/passkeys.ts";
import { assertConfirmed } from "../../../operations/people/sessions.ts";
import { getBaseUrl, getClient, isSecure } from "../../connection/proxies.ts";
import { passkeyAnswer, passkeyInput, passkeyList, passkeyOptions } from "../contract/passkeys.ts";
import { idParams, signInAnswer } from "../contract/session.ts";
import { proofInput } from "../contract/totp.ts";
import { readDeviceCookie, setCookies } from "../cookie.ts";
import { type Admin, type AdminServer, getOrigin, getPerson } from "../routes.ts";

export function passkeyRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl, throttle } = admin;
  const anyone = { access: "anyone" } as const;
  const adds = { access: { own: "added" } } as const;

  app.post(
    "/session/passkey/options",
    { config: anyone, schema: { response: { 200: passkeyOptions } } },
    async ({ raw }) => {
      throttle.spend([["challenge", getClient(raw, publicUrl).address]]);
      return { options: { ...(await beginPasskeySignIn(deps, getRelyingParty(raw, publicUrl))) } };
    },
  );

  app.post(
    "/session/passkey",
    { config: anyone, schema: { body: passkeyAnswer, response: { 200: signInAnswer } } },
    async ({ raw, body }, reply) => {
      const client = getClient(raw, publicUrl);
      const tries = [["all", ""] as const, ["address", client.address] as const];
      const isTls = isSecure(raw, publicUrl);
      const { email, started } = await throttle.attempt(tries, () =>
        signInByPasskey(deps, body.response, getRelyingParty(raw, publicUrl), {
          ...client,
          deviceOf: (theirs) => readDeviceCookie(raw, theirs, isTls),
        }),
      );
      setCookies(reply, started, email, isTls);
      return { second_factor: null };
    },
  );

  app.get(
    "/passkeys",
    { config: { access: { own: "untouched" } }, schema: { response: { 200: passkeyList } } },
    async (request) => {
      const passkeys = await listPasskeys(deps, getPerson(request).account.id);
      return {
        passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          created_at: isoTime(createdAt),
          last_used_at: isoTimeOrNull(lastUsedAt),
        })),
      };
    },
  );

  app.post(
    "/passkeys/options",
    { config: adds, schema: { body: proofInput, response: { 200: passkeyOptions } } },
    async (request) => {
      const { account } = getPerson(request);
      const options = await throttle.attempt([["account", account.id]], () =>
        beginPasskey(deps, account, request.body.current_password, getRelyingParty(request.raw, publicUrl)),
      );
      return { options: { ...options } };
    },
  );

  app.post("/passkeys", { config: adds, schema: { body: passkeyInput } }, async (request, reply) => {
    const { account, session } = getPerson(request);
    const whose = { accountId: account.id, sessionId: session.id };
    await addPasskey(deps, whose, request.body, getRelyingParty(request.raw, publicUrl), getOrigin(admin, request));
    return reply.code(204).send();
  });

  app.delete(
    "/passkeys/:id",
    { config: { access: { own: "removed" } }, schema: { params: idParams } },
    async (request, reply) => {
      const { account, session } = getPerson(request);
      assertConfirmed(deps, session);
      await removePasskey(deps, account.id, request.params.id, getOrigin(admin, request));
      return reply.code(204).send();
    },
  );
}

/** @throws AppError `conflict` at an address for which browsers do not support passkeys. */
function getRelyingParty(req: IncomingMessage, publicUrl: string | null): RelyingParty {
  const base = getBaseUrl(req, publicUrl);
  // The host is sent by the client and may be malformed.
  const { hostname, origin } = new URL(URL.canParse(base) ? base : "http://unknown");
  if (publicUrl === null && hostname !== "localhost") {
    throw new AppError(
      "conflict",
      "Passkeys belong to a host name: set ROSTRUM_PUBLIC_URL, or open the dashboard at http://localhost.",
    );
  }
  return { id: hostname, origin };
}
