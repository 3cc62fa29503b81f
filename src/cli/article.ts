import { openApp, type App } from "../app.ts";
import { readConfig } from "../config.ts";
import { ARTICLE_STATUSES, type FullArticle } from "../domain/articles/article.ts";
import { parseIsoTime } from "../domain/articles/article-json.ts";
import { isoTimeOrNull } from "../domain/system/time.ts";
import { listForm, ownerForm } from "../domain/articles/api-format.ts";
import * as articles from "../operations/articles/articles.ts";
import { getWebsite } from "../operations/system/websites.ts";
import { applyDraftCopy, discardDraftCopy, saveDraftCopy } from "../operations/articles/draft-copies.ts";
import { CLI_ACTOR, type Command, type Io, oneOf, parse, required, subcommands, UsageError } from "./command.ts";
import { readArticleFile } from "./files.ts";
import { table } from "./table.ts";

const ID = "The article's id";

const list: Command = {
  summary: "list a website's articles",
  help: `Usage: rostrum article list --website WEBSITE [--status ${ARTICLE_STATUSES.join("|")}] [--json]

Lists the articles, oldest first, without the trash.`,
  async run(args, io) {
    const { values } = parse(args, {
      website: { type: "string" },
      status: { type: "string" },
      json: { type: "boolean" },
    });
    const wanted = required(values.website, "website");
    const status = oneOf(values.status, ARTICLE_STATUSES, "status");
    await using app = await openApp(readConfig(io.environment, io.directory));
    const rows = [];
    const { id } = await getWebsite(app, wanted);
    for await (const one of articles.listArticles(app, id, status)) {
      rows.push({ ...listForm(one), publish_at: isoTimeOrNull(one.publishAt) });
    }
    io.out(
      values.json ? `${JSON.stringify(rows)}\n` : table(rows, ["id", "status", "title", "created_at", "published_at"]),
    );
    return 0;
  },
};

const create: Command = {
  summary: "add an article",
  help: `Usage: rostrum article create --website WEBSITE --file FILE [--accept-loss] [--json]

Adds the article that FILE holds as JSON ("-": standard input). title and content (HTML) or markdown are required;
docs/api.md lists every field. A status of approved or published makes the transitions, with their event.

  --accept-loss  save it even if more than a tenth of its text is lost (default: it is refused)`,
  async run(args, io) {
    const { values } = parse(args, {
      website: { type: "string" },
      file: { type: "string" },
      "accept-loss": { type: "boolean" },
      json: { type: "boolean" },
    });
    const wanted = required(values.website, "website");
    const input = await readArticleFile(required(values.file, "file"), io);
    return change(io, values.json, async (app) => {
      const { id } = await getWebsite(app, wanted);
      return articles.createArticle(app, id, input, CLI_ACTOR, { acceptLoss: values["accept-loss"] });
    });
  },
};

const update: Command = {
  summary: "change an article",
  help: `Usage: rostrum article update ID --file FILE [--draft] [--accept-loss] [--json]

Changes the fields that FILE names ("-": standard input), and only those. A published article changes at once, with
one article.updated.

  --draft        for a published article: keep the change beside the live article until "article apply-draft ID"
  --accept-loss  save it even if more than a tenth of its text is lost (default: it is refused)`,
  async run(args, io) {
    const { values, positionals } = parse(
      args,
      {
        file: { type: "string" },
        draft: { type: "boolean" },
        "accept-loss": { type: "boolean" },
        json: { type: "boolean" },
      },
      [ID],
    );
    const input = await readArticleFile(required(values.file, "file"), io);
    const id = articleId(positionals);
    return change(io, values.json, async (app) => {
      const options = { acceptLoss: values["accept-loss"] };
      if (!values.draft) return articles.updateArticle(app, id, input, CLI_ACTOR, undefined, options);
      await saveDraftCopy(app, id, input, CLI_ACTOR, undefined, options);
      return articles.getArticle(app, id);
    });
  },
};

const publish: Command = {
  summary: "publish an approved article, now or later",
  help: `Usage: rostrum article publish ID [--at TIME] [--json]

Publishes an approved article. With --at (ISO 8601, in the future) the service does it then.`,
  async run(args, io) {
    const { values, positionals } = parse(args, { at: { type: "string" }, json: { type: "boolean" } }, [ID]);
    const at = values.at === undefined ? undefined : parseIsoTime(values.at);
    if (at === null) throw new UsageError(`--at is "${values.at}"; write it like 2026-12-31T08:00:00Z.`);
    const id = articleId(positionals);
    return change(io, values.json, (app) =>
      at === undefined ? articles.publishArticle(app, id, CLI_ACTOR) : articles.scheduleArticle(app, id, at, CLI_ACTOR),
    );
  },
};

const requestChanges: Command = {
  summary: "withdraw an approval and request changes",
  help: `Usage: rostrum article request-changes ID --reason REASON [--json]

Withdraws the approval: the article is pending again, and its approve step says why.`,
  async run(args, io) {
    const { values, positionals } = parse(args, { reason: { type: "string" }, json: { type: "boolean" } }, [ID]);
    const reason = required(values.reason, "reason");
    const id = articleId(positionals);
    return change(io, values.json, (app) => articles.requestChanges(app, id, reason, CLI_ACTOR));
  },
};

export const article: Command = {
  summary: "create, change, approve, publish and delete articles",
  ...subcommands("article", {
    list,
    show: simple("show", "print one article", (app, id) => articles.getArticle(app, id)),
    create,
    update,
    "apply-draft": simple("apply-draft", "publish a draft copy", (app, id) => applyDraftCopy(app, id, CLI_ACTOR)),
    "discard-draft": simple("discard-draft", "discard a draft copy", async (app, id) => {
      await discardDraftCopy(app, id, CLI_ACTOR);
      return articles.getArticle(app, id);
    }),
    approve: simple("approve", "approve a pending article", (app, id) => articles.approveArticle(app, id, CLI_ACTOR)),
    "request-changes": requestChanges,
    publish,
    unpublish: simple("unpublish", "unpublish an article", (app, id) => articles.unpublishArticle(app, id, CLI_ACTOR)),
    delete: simple("delete", "move an article to the trash", (app, id) => articles.deleteArticle(app, id, CLI_ACTOR)),
    restore: simple("restore", "restore an article from the trash", (app, id) =>
      articles.restoreArticle(app, id, CLI_ACTOR),
    ),
  }),
};

/** Defines a command whose only argument is an id. */
function simple(name: string, summary: string, work: (app: App, id: string) => Promise<FullArticle>): Command {
  return {
    summary,
    help: `Usage: rostrum article ${name} ID [--json]\n\nThis command will ${summary}.`,
    async run(args, io) {
      const { values, positionals } = parse(args, { json: { type: "boolean" } }, [ID]);
      return change(io, values.json, (app) => work(app, articleId(positionals)));
    },
  };
}

async function change(io: Io, json: boolean | undefined, work: (app: App) => Promise<FullArticle>): Promise<number> {
  await using app = await openApp(readConfig(io.environment, io.directory));
  const form = ownerForm(await work(app));
  if (json) {
    io.out(`${JSON.stringify(form)}\n`);
  } else {
    const plan = form.publish_at === null ? "" : `, to be published at ${form.publish_at}`;
    const trash = form.deleted_at === null ? "" : ", in the trash";
    io.out(`${form.id}  ${form.status}${plan}${trash}  ${form.title}\n`);
  }
  return 0;
}

function articleId(positionals: readonly string[]): string {
  return (positionals[0] ?? "").toLowerCase();
}
