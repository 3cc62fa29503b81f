import { openFor } from "../system/databases.ts";
import { ARTICLE_STATUSES, REVIEW_STATES } from "../../domain/articles/article.ts";
import { toListForm } from "../../domain/articles/api-format.ts";
import { isoTimeOrNull } from "../../domain/system/time.ts";
import { parseWebsiteLanguage } from "../../domain/system/website.ts";
import { listArticles } from "../../operations/articles/write/articles.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { type Command, parseChoice, parseOptions, required } from "../command.ts";
import { writeTable } from "../output.ts";

export const list: Command = {
  summary: "list a website's articles",
  help: `Usage: rostrum article list --website WEBSITE [--status ${ARTICLE_STATUSES.join("|")}]
                            [--review-state ${REVIEW_STATES.join("|")}]
                            [--lang TAG] [--author NAME] [--json]

Lists the articles, oldest first, without the trash.

  --lang TAG     those in this language, such as de; those that name none have the website's own
  --author NAME  those with this name in their byline`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      website: { type: "string" },
      status: { type: "string" },
      "review-state": { type: "string" },
      lang: { type: "string" },
      author: { type: "string" },
      json: { type: "boolean" },
    });
    const lang = values.lang === undefined ? undefined : parseWebsiteLanguage(values.lang);
    const author = values.author?.trim().toLowerCase();
    const state = parseChoice(values["review-state"], REVIEW_STATES, "review-state");
    const wanted = required(values.website, "website");
    const status = parseChoice(values.status, ARTICLE_STATUSES, "status");
    await using app = await openFor(io);
    const rows = [];
    const { id, language: own } = await getWebsite(app, wanted);
    for await (const one of listArticles(app, id, status)) {
      if (state !== undefined && one.reviewState !== state) continue;
      if (lang !== undefined && (one.language ?? own) !== lang) continue;
      if (author !== undefined && !one.authors.some(({ name }) => name.toLowerCase() === author)) continue;
      rows.push({
        ...toListForm(one),
        language: one.language,
        authors: one.authors,
        review_state: one.reviewState,
        publish_at: isoTimeOrNull(one.publishAt),
      });
    }
    if (values.json) io.out(`${JSON.stringify(rows)}\n`);
    else
      writeTable(
        io,
        rows,
        ["id", "status", "review_state", "title", "created_at", "published_at"],
        (status ?? state ?? lang ?? author)
          ? "No articles match."
          : 'No articles yet. "rostrum import" brings them in.',
      );
  },
};
