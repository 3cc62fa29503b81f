/** Keys of scope `preview` (docs/specification.md, section 4.11): everything as if it were published; never cached. */
import { listBySlug } from "../../store/articles/article-queries.ts";
import { draftsVersion, findDraftBySlug, findDrafted } from "../../store/articles/draft-copies.ts";
import type { SnapshotReader } from "../../operations/articles/read-model/read-model.ts";
import type { Snapshot } from "../../store/store.ts";
import type { Route } from "../operators/metrics.ts";
import {
  findFormer,
  findGoneSlug,
  type FoundBySlug,
  presentPreviewed,
  presentPreviewedRow,
  withMove,
} from "./article-reads.ts";
import { gone, NO_ARTICLE, NO_SLUG, tooManyRequests } from "./error-responses.ts";
import { describeShortPage, loadPage, PAGE_CONTENT_BYTES, presentRows, takeTurn } from "./list-reads.ts";
import { parseId, parseListParameters, parseNoParameters, parseParametersOfOne, parseSlug } from "./parameters.ts";
import type { Read, SnapshotAnswers } from "./snapshot-answers.ts";
import { getLastPart, getSearch } from "./routes.ts";
import { presentList } from "./serializers.ts";

type PreviewedRoute = "list" | "detail" | "slug" | "state";

/** Whether these keys get another answer than those of scope `all`. */
export function isPreviewed(route: Route): route is PreviewedRoute {
  return route === "list" || route === "detail" || route === "slug" || route === "state";
}

export function answerPreviewKey(answers: SnapshotAnswers, read: Read, route: PreviewedRoute): Promise<void> {
  if (route === "list") return answerList(answers, read);
  return route === "state" ? answerState(answers, read) : answerArticle(answers, read, route);
}

async function answerList(answers: SnapshotAnswers, read: Read): Promise<void> {
  const asked = parseListParameters(getSearch(read.exchange.url));
  const { warnings } = asked;
  const filter = asked.hasStatus ? asked.query.filter : { ...asked.query.filter, isOfAnyStatus: true };
  const query = { ...asked.query, filter };
  using turn = await takeTurn(answers, read, asked);
  if (turn === null) return answers.responder.refuse(read.exchange, tooManyRequests(read.caller));
  if (turn !== undefined && read.exchange.req.socket.destroyed) return;
  const startedAt = performance.now();
  const load = async (snapshot: SnapshotReader) => {
    const loaded = await loadPage(snapshot, { ...asked, query });
    const found = await findDrafted(snapshot.db, Array.from(loaded.rowNos));
    return { page: loaded, drafted: found, version: snapshot.view.contentVersion };
  };
  const { page, drafted, version } = await answers.read(read, load, { isInParts: turn !== undefined });
  const databaseMs = performance.now() - startedAt;
  const isPlain = asked.formats === null && asked.optional.length === 0 && asked.fields === null;
  const presented = isPlain ? page.rows : await presentRows(page, asked);
  const rows: Buffer[] = [];
  let bytes = 0;
  let { limit } = page;
  for (const [index, row] of presented.entries()) {
    const id = drafted.get(page.rowNos[index] ?? 0);
    const latest = id === undefined ? undefined : await answers.findLatest(read, id);
    const shown = latest === undefined ? row : await presentPreviewedRow(answers, read, latest, asked);
    bytes += shown.length;
    // A draft copy may be longer than what the page was measured by.
    if (latest !== undefined && index > 0 && bytes > 2 * PAGE_CONTENT_BYTES) {
      limit = index;
      break;
    }
    rows.push(shown);
  }
  if (limit < query.limit) {
    warnings.push(describeShortPage(limit, query));
  }
  const body = presentList({ rows, total: page.total, limit, offset: query.offset });
  if (!asked.debug) return answers.sendUncacheable(read.exchange, body, warnings);
  const { field, descending } = query.sort;
  const applied = {
    status: asked.hasStatus ? query.status : null,
    limit,
    offset: query.offset,
    sort: `${descending ? "-" : ""}${field}`,
  };
  answers.sendDebug(read, body, { query: applied, databaseMs, cache: "miss", version, warnings });
}

async function answerArticle(answers: SnapshotAnswers, read: Read, route: "detail" | "slug"): Promise<void> {
  const { exchange } = read;
  const part = getLastPart(exchange.url);
  const slug = route === "slug" ? parseSlug(part) : null;
  const named = route === "detail" ? parseId(part) : undefined;
  const asked = parseParametersOfOne(route, getSearch(exchange.url));
  const startedAt = performance.now();
  const { found, goneAt, version } = await answers.read(read, async (snapshot) => {
    const { db, view } = snapshot;
    const holder = slug === null ? undefined : await findBySlug(db, view.websiteId, slug, asked.language);
    const isLost = slug !== null && holder === undefined;
    return {
      found: holder,
      goneAt: isLost ? await findGoneSlug(snapshot, slug, asked.language) : undefined,
      version: view.contentVersion,
    };
  });
  const id = slug === null ? named : found?.id;
  const latest = id === undefined ? undefined : await answers.findLatest(read, id);
  const databaseMs = performance.now() - startedAt;
  if (goneAt !== undefined) return answers.responder.refuse(exchange, gone(goneAt));
  if (latest === undefined) return answers.responder.refuse(exchange, slug === null ? NO_ARTICLE : NO_SLUG);
  const presented = await presentPreviewed(answers, read, latest, asked);
  const body = found === undefined ? presented : withMove(presented, latest.detail, slug ?? "", found.isFormer);
  if (!asked.debug) return answers.sendUncacheable(exchange, body, asked.warnings);
  answers.sendDebug(read, body, { query: null, databaseMs, cache: "miss", version, warnings: asked.warnings });
}

/** The article with the slug, else the one whose draft copy has it, else the last one published under it. */
async function findBySlug(
  db: Snapshot,
  websiteId: string,
  slug: string,
  language: string | undefined,
): Promise<FoundBySlug | undefined> {
  const [holder] = await listBySlug(db, websiteId, slug, language);
  const id = holder?.id ?? (await findDraftBySlug(db, websiteId, slug, language));
  return id === undefined ? findFormer(db, websiteId, slug, language) : { id, isFormer: false };
}

async function answerState(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { warnings } = parseNoParameters(getSearch(read.exchange.url));
  const data = await answers.read(read, async ({ db, view }) => ({
    // The part before the dot names the history: copies start again when it changes, because drafts make no events.
    version: `${view.epoch}-${view.contentVersion}-${await draftsVersion(db, view.websiteId)}.preview`,
    latest_sequence: view.eventSequence,
    language: view.language,
  }));
  answers.sendUncacheable(read.exchange, Buffer.from(JSON.stringify({ success: true, data })), warnings);
}
