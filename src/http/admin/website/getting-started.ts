import { isoTimeOrNull } from "../../../domain/system/time.ts";
import type { ReadModel } from "../../../operations/articles/read-model/read-model.ts";
import { readOnboardingStatus } from "../../../operations/website/getting-started.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { gettingStarted, overviewParameters } from "../contract/overview.ts";
import type { Admin, AdminServer } from "../routes.ts";

export function gettingStartedRoutes(app: AdminServer, { deps, publicUrl }: Admin, readModel: ReadModel): void {
  app.get(
    "/getting-started",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { querystring: overviewParameters, response: { 200: gettingStarted } },
    },
    async ({ raw, query }) => {
      const found = await readOnboardingStatus({ ...deps, readModel }, query.website_id);
      const { website, example } = found;
      return {
        base_url: getBaseUrl(raw, publicUrl),
        website: { id: website.id, name: website.name, url: website.url },
        example_article: example === null ? null : { id: example.id, title: example.title, slug: example.slug },
        has_articles: found.hasArticles,
        has_key: found.hasKey,
        has_webhook: found.hasWebhook,
        first_request_at: isoTimeOrNull(found.firstRequestAt),
        first_delivery_at: isoTimeOrNull(found.firstDeliveryAt),
      };
    },
  );
}
