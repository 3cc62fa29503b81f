/** Fetches pictures and checks links of an article, for those who may read it. */
import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { AppError } from "../../../domain/system/errors.ts";
import { isoTimeOrNull } from "../../../domain/system/time.ts";
import { ArticleAddresses } from "../../../operations/articles/review/article-addresses.ts";
import { checkLinks } from "../../../operations/articles/review/links.ts";
import { checkedLinks, linksInput, pictureParameters } from "../contract/links.ts";
import { idParams } from "../contract/session.ts";
import { type Admin, type AdminServer, getSignedIn, getWebsiteId } from "../routes.ts";

/** An SVG that is opened as a page must not run scripts. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function linkRoutes(app: AdminServer, { deps }: Admin): void {
  const addresses = new ArticleAddresses(deps);

  app.get(
    "/articles/:id/picture",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, querystring: pictureParameters },
    },
    async (request, reply) => {
      const { url } = request.query;
      const contained = await addresses.filter(whose(request), [url]);
      const picture = contained.has(url) ? await deps.fetchPicture(getWebsiteId(request), url) : "failed";
      if (typeof picture === "string")
        throw new AppError("not_found", "This picture cannot be fetched from its address.");
      return reply
        .header("Cache-Control", "private, max-age=3600")
        .header("Content-Security-Policy", PICTURE_POLICY)
        .type(picture.type)
        .send(picture.bytes);
    },
  );

  app.post(
    "/articles/:id/links",
    {
      config: { access: { may: "articles.read", on: "article" } },
      schema: { params: idParams, body: linksInput, response: { 200: checkedLinks } },
    },
    async (request) => {
      const { urls, again = false } = request.body;
      const contained = await addresses.filter(whose(request), urls);
      const links = await checkLinks(deps, getWebsiteId(request), { urls, contained, again });
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

function whose(request: FastifyRequest<{ Params: Static<typeof idParams> }>) {
  return { websiteId: getWebsiteId(request), articleId: request.params.id, accountId: getSignedIn(request).id };
}
