/** Shows a client its token, what that may do, and the limits. */
import { ARTICLE_LIMITS } from "../../domain/articles/json-values.ts";
import { isoTime } from "../../domain/system/time.ts";
import { IDEMPOTENCY_KEYS_KEPT_MS } from "../../operations/people/idempotency.ts";
import { readWebsite } from "../../operations/website/websites.ts";
import { type Admin, type AdminServer, getSignedIn } from "../admin/routes.ts";
import { LARGEST_FILE_BYTES, LIMITS } from "../admin/articles/imports.ts";
import { TOKEN_RATE } from "../admin/people/throttle.ts";
import { meAnswer, meParameters } from "./contract.ts";

const HOUR_MS = 3_600_000;

export function meRoutes(app: AdminServer, { deps }: Admin): void {
  app.get(
    "/me",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { querystring: meParameters, response: { 200: meAnswer } },
    },
    async (request) => {
      const signedIn = getSignedIn(request);
      if (!("token" in signedIn)) throw new Error("the management API was reached without an access token");
      const { id, name, scope, expiresAt, websiteId } = signedIn.token;
      const website = await readWebsite(deps, websiteId);
      return {
        token: { id, name, scope, expires_at: isoTime(expiresAt) },
        website: { id: website.id, name: website.name, url: website.url, language: website.language },
        limits: {
          requests_per_second: TOKEN_RATE.rate,
          burst: TOKEN_RATE.burst,
          article_bytes: ARTICLE_LIMITS.content,
          batch_bytes: LARGEST_FILE_BYTES,
          batches_at_once: LIMITS.perPerson,
          idempotency_hours: IDEMPOTENCY_KEYS_KEPT_MS / HOUR_MS,
        },
      };
    },
  );
}
