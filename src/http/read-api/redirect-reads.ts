/** Earlier slugs and their targets (docs/specification.md, 4.9). */
import { listRedirects } from "../../store/articles/redirects.ts";
import { parseRedirectParameters } from "./parameters.ts";
import type { Read, SnapshotAnswers } from "./snapshot-answers.ts";
import { listEtag, newAnswer, nextLink, stamp, warningHeaders } from "./response-headers.ts";
import { getSearch } from "./routes.ts";

export async function answerRedirects(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const asked = parseRedirectParameters(getSearch(exchange.url));
  const { after, limit } = asked;
  const { view, found } = await answers.read(read, async (snapshot) => ({
    // One more than requested, to see whether there is a next page.
    found: await listRedirects(snapshot.db, caller.key.websiteId, after, limit + 1),
    view: stamp(snapshot.view),
  }));
  const etag = listEtag(view, "published");
  const cacheControl = answers.cacheControl(read, view, asked.version, true);
  if (answers.sendNotModified(exchange, etag, cacheControl)) return;
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
    ...answers.tagHeaders(read, null),
  ];
  const answer = newAnswer("redirects", etag, body, { view, dependsOn: "published", cacheControl, headers });
  if (answers.wasRequestedBefore(read, answer.version)) answers.cache(read, answer);
  answers.send(exchange, answer);
}
