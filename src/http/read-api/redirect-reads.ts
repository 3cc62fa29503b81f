/** Earlier slugs and their targets (docs/specification.md, 4.9). */
import { listRedirects } from "../../store/articles/redirects.ts";
import { parseRedirectParameters } from "./parameters.ts";
import type { Read, ReadContext } from "./read-context.ts";
import { listEtag, newAnswer, nextLink, stamp, warningHeaders } from "./response-headers.ts";
import { getSearch } from "./routes.ts";

export async function answerRedirects(context: ReadContext, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const asked = parseRedirectParameters(getSearch(exchange.url));
  const { after, limit } = asked;
  const { view, found } = await context.read(read, async (snapshot) => ({
    // One more than requested, to see whether there is a next page.
    found: await listRedirects(snapshot.db, caller.key.websiteId, after, limit + 1),
    view: stamp(snapshot.view),
  }));
  const etag = listEtag(view, "published");
  const cacheControl = context.cacheControl(read, view, asked.version, true);
  if (context.sendNotModified(exchange, etag, cacheControl)) return;
  const redirects = found.slice(0, limit).map(({ source, isAlias, language, articleId, slug, platformUrl }) => ({
    from: source,
    kind: isAlias ? "alias" : "slug",
    language,
    article_id: articleId,
    slug,
    platform_url: platformUrl,
  }));
  const next = found.slice(0, limit).at(-1)?.cursor ?? after;
  const pagination = { limit, next_after: next, has_more: found.length > limit };
  const body = Buffer.from(JSON.stringify({ success: true, data: { redirects, pagination } }));
  const headers = [
    ...(pagination.has_more ? nextLink(`/api/public/redirects?${asked.pageSearch(next)}`) : []),
    ...warningHeaders(asked.warnings),
    ...context.tagHeaders(read, null),
  ];
  const answer = newAnswer("redirects", etag, body, { view, dependsOn: "published", cacheControl, headers });
  if (context.wasRequestedBefore(read, answer.version)) context.keep(read, answer);
  context.send(exchange, answer);
}
