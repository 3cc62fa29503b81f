import { can, roleOn } from "../../../domain/people/permissions.ts";
import { isoTime } from "../../../domain/system/time.ts";
import type { ReadModel } from "../../../operations/articles/read-model/read-model.ts";
import { readOverview } from "../../../operations/website/overview.ts";
import { presentListItem } from "../articles/article-presenters.ts";
import { overview, overviewParameters } from "../contract/overview.ts";
import { type Admin, type AdminServer, getPerson } from "../routes.ts";

export function overviewRoutes(app: AdminServer, { deps, disableAfter }: Admin, readModel: ReadModel): void {
  app.get(
    "/overview",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { querystring: overviewParameters, response: { 200: overview } },
    },
    async (request) => {
      const { website_id: websiteId } = request.query;
      const { account, memberships } = getPerson(request);
      const role = roleOn(memberships, websiteId);
      const seesWebhooks = can(role, "webhooks.manage");
      const found = await readOverview(
        { ...deps, readModel },
        websiteId,
        account.id,
        seesWebhooks ? disableAfter : null,
      );
      return {
        counts: found.counts,
        waiting: found.waiting.map(presentListItem),
        scheduled: found.scheduled.map(presentListItem),
        published: found.published.map(presentListItem),
        deliveries: found.deliveries.map(({ hour, ...counts }) => ({ hour: isoTime(hour), ...counts })),
        reads: found.reads.map(({ hour, requests }) => ({ hour: isoTime(hour), requests })),
        warnings: found.warnings.map(({ endpoint: { id, name, url, state }, warning }) => ({
          webhook_id: id,
          name,
          url,
          state,
          message: warning,
        })),
        recheck: found.recheck,
      };
    },
  );
}
