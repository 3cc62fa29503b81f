import { type ApiKey, keyRefusal, parseExpiry } from "../../../domain/people/api-key.ts";
import type { Millis } from "../../../domain/system/time.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import { countRequests, createKey, type DayCount, listKeys, revokeKey } from "../../../operations/people/api-keys.ts";
import { ARTICLES } from "../../read-api/routes.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { apiKey, apiKeyInput, apiKeyList, apiKeyMade } from "../contract/api-keys.ts";
import { idParams } from "../contract/session.ts";
import { ofWebsite } from "../contract/websites.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";

const DAYS = 14;

type Listed = Pick<ApiKey, "id" | "createdAt" | "expiresAt" | "revokedAt">;

export function apiKeyRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl } = admin;
  const onNamed = { access: { may: "keys.manage", on: "named" } } as const;
  const onKey = { access: { may: "keys.manage", on: "API key" } } as const;
  const shown = async (key: ApiKey) =>
    present(key, deps.clock(), (await countRequests(deps, key.websiteId, DAYS))(key.id));

  app.get(
    "/api-keys",
    { config: onNamed, schema: { querystring: ofWebsite, response: { 200: apiKeyList } } },
    async ({ query: { website_id: websiteId } }) => {
      const keys = await listKeys(deps, websiteId);
      const daysOf = await countRequests(deps, websiteId, DAYS);
      const now = deps.clock();
      return { keys: keys.toSorted(byUse(now)).map((key) => present(key, now, daysOf(key.id))) };
    },
  );

  app.post(
    "/api-keys",
    { config: onNamed, schema: { body: apiKeyInput, response: { 201: apiKeyMade } } },
    async (request, reply) => {
      const { website_id: websiteId, name, scope = "all", expires_at: end = null, rate_limit } = request.body;
      const expiresAt = parseExpiry(end, deps.clock());
      const settings = { name, scope, expiresAt, rateLimit: rate_limit ?? null };
      const { secret, key } = await createKey(deps, websiteId, settings, getOrigin(admin, request));
      const address = `${getBaseUrl(request.raw, publicUrl)}${ARTICLES}?limit=3`;
      const curl = `curl -H ${quoted(`X-API-Key: ${secret}`)} ${quoted(address)}`;
      return reply.code(201).send({ key: await shown(key), secret, curl });
    },
  );

  app.post(
    "/api-keys/:id/revoke",
    { config: onKey, schema: { params: idParams, response: { 200: apiKey } } },
    async (request) => {
      return shown(await revokeKey(deps, request.params.id, getOrigin(admin, request)));
    },
  );
}

/** Accepted keys first; within each group, the newest first. */
export function byUse(now: Millis): (a: Listed, b: Listed) => number {
  const isRefused = (key: Listed) => Number(keyRefusal(key, now) !== null);
  return (a, b) => isRefused(a) - isRefused(b) || b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

/** Quotes the text as a single shell word. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function present(key: ApiKey, now: Millis, days: readonly DayCount[]) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scope: key.scope,
    rate_limit: key.rateLimit,
    state: keyRefusal(key, now) ?? ("active" as const),
    created_at: isoTime(key.createdAt),
    expires_at: isoTimeOrNull(key.expiresAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt),
    revoked_at: isoTimeOrNull(key.revokedAt),
    requests: days.map(({ day, count }) => ({ day: isoTime(day).slice(0, 10), count })),
  };
}
