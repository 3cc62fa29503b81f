import type { AccessToken } from "../../../domain/people/access-token.ts";
import { keyRefusal, parseExpiry } from "../../../domain/people/api-key.ts";
import { isoTime, isoTimeOrNull, type Millis } from "../../../domain/system/time.ts";
import { createToken, listTokens, revokeToken } from "../../../operations/people/access-tokens.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { MANAGEMENT_PREFIX } from "../admin-options.ts";
import { accessToken, accessTokenInput, accessTokenList, accessTokenMade } from "../contract/access-tokens.ts";
import { idParams } from "../contract/session.ts";
import { ofWebsite } from "../contract/websites.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";
import { byUse, quoted } from "./api-keys.ts";

export function accessTokenRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl } = admin;
  const onNamed = { access: { may: "keys.manage", on: "named" } } as const;

  app.get(
    "/access-tokens",
    { config: onNamed, schema: { querystring: ofWebsite, response: { 200: accessTokenList } } },
    async ({ query }) => {
      const now = deps.clock();
      const tokens = await listTokens(deps, query.website_id);
      return { tokens: tokens.toSorted(byUse(now)).map((token) => present(token, now)) };
    },
  );

  app.post(
    "/access-tokens",
    { config: onNamed, schema: { body: accessTokenInput, response: { 201: accessTokenMade } } },
    async (request, reply) => {
      const { website_id: websiteId, name, scope, expires_at: end } = request.body;
      const input = { name, scope, expiresAt: parseExpiry(end, deps.clock()) };
      const { secret, token } = await createToken(deps, websiteId, input, getOrigin(admin, request));
      const address = `${getBaseUrl(request.raw, publicUrl)}${MANAGEMENT_PREFIX}me`;
      const curl = `curl -H ${quoted(`Authorization: Bearer ${secret}`)} ${quoted(address)}`;
      return reply.code(201).send({ token: present(token, deps.clock()), secret, curl });
    },
  );

  app.post(
    "/access-tokens/:id/revoke",
    {
      config: { access: { may: "keys.manage", on: "access token" } },
      schema: { params: idParams, response: { 200: accessToken } },
    },
    async (request) => present(await revokeToken(deps, request.params.id, getOrigin(admin, request)), deps.clock()),
  );
}

function present(token: AccessToken, now: Millis) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    last_four: token.lastFour,
    scope: token.scope,
    state: keyRefusal(token, now) ?? ("active" as const),
    created_at: isoTime(token.createdAt),
    expires_at: isoTime(token.expiresAt),
    last_used_at: isoTimeOrNull(token.lastUsedAt),
    revoked_at: isoTimeOrNull(token.revokedAt),
  };
}
