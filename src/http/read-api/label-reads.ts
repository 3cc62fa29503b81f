/** The tags and categories of what is published, and related articles (docs/specification.md, 4.8). */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  countPublishedLabels,
  type LabelledForm,
  type PublishedLabel,
  relatedRows,
} from "../../operations/articles/lists/published-labels.ts";
import type { ListedLabelKind } from "../../store/articles/labels.ts";
import { refusalFor } from "./article-reads.ts";
import { NO_ARTICLE } from "./error-responses.ts";
import { parseId, parseLabelParameters, parseRelatedParameters } from "./parameters.ts";
import type { Read, SnapshotAnswers } from "./snapshot-answers.ts";
import { listEtag, newAnswer, pageLinks, stamp, warningHeaders } from "./response-headers.ts";
import type { PreparedResponse } from "./response-cache.ts";
import { getParentPart, getSearch } from "./routes.ts";
import { presentArticles, withFields } from "./serializers.ts";

const LABELS = {
  tags: { kind: "tag", path: "/api/public/tags" },
  categories: { kind: "category", path: "/api/public/categories" },
} as const;

export async function answerLabels(answers: SnapshotAnswers, read: Read, name: keyof typeof LABELS): Promise<void> {
  const { exchange } = read;
  const asked = parseLabelParameters(getSearch(exchange.url));
  const { offset, limit } = asked;
  const { kind, path } = LABELS[name];
  const state = await answers.state(read);
  const early = answers.cacheControl(read, state, asked.version, true);
  if (answers.sendNotModified(exchange, listEtag(state, "published"), early)) return;
  // Counting reads the labels of every article, so that concurrent requests share the answer.
  const answer = await answers.share(read, state, async (): Promise<PreparedResponse> => {
    const { labels, view } = await answers.read(
      read,
      async (snapshot) => ({ labels: await countPublishedLabels(snapshot, kind), view: stamp(snapshot.view) }),
      { isInParts: true },
    );
    const total = labels.length;
    const slugs = await findSlugs(labels, kind);
    const page = labels.slice(offset, offset + limit).map(({ key, name: label, count }) => ({
      name: label,
      slug: slugs.get(key),
      count,
    }));
    const body = Buffer.from(
      JSON.stringify({ success: true, data: { [name]: page, pagination: { total, limit, offset } } }),
    );
    const headers = [
      ...pageLinks({ offset, limit, count: page.length, total }, (at) => `${path}?${asked.pageSearch(at)}`),
      ...warningHeaders(asked.warnings),
      ...answers.tagHeaders(read, null),
    ];
    const cacheControl = answers.cacheControl(read, view, asked.version, true);
    const made = newAnswer(name, listEtag(view, "published"), body, {
      view,
      dependsOn: "published",
      cacheControl,
      headers,
    });
    answers.cache(read, made);
    return made;
  });
  answers.send(exchange, answer);
}

/** Of all labels, as each has its own. Other requests have their turn in between. */
async function findSlugs(labels: readonly PublishedLabel[], kind: ListedLabelKind) {
  // Loaded at first use, to save memory in services that only serve reads.
  const { labelSlugs } = await import("../../domain/articles/content/label-slugs.ts");
  const work = labelSlugs(labels, kind);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await nextTurn();
  }
}

export async function answerRelated(answers: SnapshotAnswers, read: Read): Promise<void> {
  const { exchange, caller } = read;
  const id = parseId(getParentPart(exchange.url));
  const asked = parseRelatedParameters(getSearch(exchange.url));
  const { view, status, rows } = await answers.read(read, async (snapshot) => {
    const detail = await snapshot.detail(id);
    if (detail === undefined || refusalFor(detail.status, caller.key.scope) !== null) {
      return { view: stamp(snapshot.view), status: detail?.status, rows: [] };
    }
    const form = JSON.parse(detail.list_form) as LabelledForm;
    const rowNos = await relatedRows(snapshot, { rowNo: detail.row_no, form }, asked.limit);
    return { view: stamp(snapshot.view), status: detail.status, rows: await snapshot.rows(rowNos) };
  });
  if (status === undefined) return answers.responder.refuse(exchange, NO_ARTICLE);
  const refused = refusalFor(status, caller.key.scope);
  if (refused !== null) return answers.responder.refuse(exchange, refused);
  const dependsOn = status === "published" ? "published" : "website";
  const etag = listEtag(view, dependsOn);
  const cacheControl = answers.cacheControl(read, view, asked.version, status === "published");
  if (answers.sendNotModified(exchange, etag, cacheControl)) return;
  const body = presentArticles(rows.map((row) => withFields(row, asked.fields, {})));
  const headers = [...warningHeaders(asked.warnings), ...answers.tagHeaders(read, null)];
  const answer = newAnswer("related", etag, body, { view, dependsOn, cacheControl, headers });
  if (answers.wasRequestedBefore(read, answer.version)) answers.cache(read, answer);
  answers.send(exchange, answer);
}
