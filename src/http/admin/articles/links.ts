import { isoTimeOrNull } from "../../../domain/system/time.ts";
import { checkLinks } from "../../../operations/articles/review/links.ts";
import { checkedLinks, linksInput } from "../contract/links.ts";
import { idParams } from "../contract/session.ts";
import { type Admin, type AdminServer, getWebsiteId } from "../routes.ts";

export function linkRoutes(app: AdminServer, { deps }: Admin): void {
  app.post(
    "/articles/:id/links",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, body: linksInput, response: { 200: checkedLinks } },
    },
    async (request) => {
      const { urls, again = false } = request.body;
      const links = await checkLinks(deps, getWebsiteId(request), { urls, again });
      return {
        links: links.map(({ url, check, article }) => ({
          url,
          check: check && {
            state: check.state,
            reason: check.reason,
            leads_to: check.leadsTo,
            checked_at: isoTimeOrNull(check.checkedAt),
          },
          article: article && { id: article.id, status: article.status, is_former: article.isFormer },
        })),
      };
    },
  );
}
