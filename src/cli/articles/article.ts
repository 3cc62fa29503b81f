import type { App } from "../../app/app.ts";
import { type Acceptance, MIN_OVERRIDE_REASON, parseAcceptance } from "../../domain/articles/integrity-gate.ts";
import { FIRST_STATES, type FullArticle } from "../../domain/articles/article.ts";
import { isoTime, parseIsoTime } from "../../domain/system/time.ts";
import { listStates, type Verb, VERBS } from "../../domain/articles/verbs.ts";
import { ownerForm } from "../../domain/articles/api-format.ts";
import * as articles from "../../operations/articles/write/articles.ts";
import { acceptance } from "../../operations/articles/write/override-findings.ts";
import type { TransitionDeps } from "../../operations/articles/write/transition.ts";
import { findAssignee } from "../../operations/articles/review/article-review.ts";
import { labelArticle } from "../../operations/articles/write/label-article.ts";
import { createReviewLink, reviewUrl } from "../../operations/articles/review/review-links.ts";
import { createSitePreview } from "../../operations/articles/review/site-preview.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { applyDraftCopy, discardDraftCopy, saveDraftCopy } from "../../operations/articles/write/draft-copies.ts";
import {
  CLI_ACTOR,
  type Command,
  type Io,
  parseChoice,
  parseOptions,
  required,
  subcommands,
  UsageError,
} from "../command.ts";
import { check } from "./article-check.ts";
import { bulk } from "./article-bulk.ts";
import { comments } from "./article-comments.ts";
import { FIELD_OPTIONS, FIELDS_HELP, readFields } from "./article-fields.ts";
import { list } from "./article-list.ts";
import { getServiceUrl, openFor } from "../system/databases.ts";
import { readArticleFile } from "../files.ts";

const ID = "The article's id";

const create: Command = {
  summary: "add an article",
  help: `Usage: rostrum article create --website WEBSITE --file FILE [--review-state STATE]
                              [--accept-loss] [FIELDS] [--json]

Adds the article that FILE holds as JSON ("-": standard input). title and content (HTML) or markdown are required;
docs/api.md lists every field. A status of approved or published makes the transitions, with their event.

  --review-state STATE  draft, or in_review (default), for a pending article
  --accept-loss         save it even if more than a tenth of its text is lost (default: it is refused)

${FIELDS_HELP}`,
  async run(args, io) {
    const { values } = parseOptions(args, {
      ...FIELD_OPTIONS,
      "review-state": { type: "string" },
      website: { type: "string" },
      file: { type: "string" },
      "accept-loss": { type: "boolean" },
      json: { type: "boolean" },
    });
    const wanted = required(values.website, "website");
    const reviewState = parseChoice(values["review-state"], FIRST_STATES, "review-state");
    const read = await readArticleFile(required(values.file, "file"), io);
    const input = { ...read, ...readFields(values), ...(reviewState === undefined ? {} : { reviewState }) };
    return change(io, values.json, async (app) => {
      const { id } = await getWebsite(app, wanted);
      return articles.createArticle(app, id, input, CLI_ACTOR, { acceptLoss: values["accept-loss"] });
    });
  },
};

const update: Command = {
  summary: "change an article",
  help: `Usage: rostrum article update ID [--file FILE] [--draft] [--accept-loss] [FIELDS] [--json]

Changes the fields that FILE ("-": standard input) and FIELDS name, and only those. A published article changes at once, with
one article.updated.

  --draft        for a published article: keep the change beside the live article until "article apply-draft ID"
  --accept-loss  save it even if more than a tenth of its text is lost (default: it is refused)

${FIELDS_HELP}

An empty value ("") removes a field.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        ...FIELD_OPTIONS,
        file: { type: "string" },
        draft: { type: "boolean" },
        "accept-loss": { type: "boolean" },
        json: { type: "boolean" },
      },
      [ID],
    );
    const fields = readFields(values);
    if (values.file === undefined && Object.keys(fields).length === 0) {
      throw new UsageError("Give --file, or a field such as --language.");
    }
    const read = values.file === undefined ? {} : await readArticleFile(values.file, io);
    const input = { ...read, ...fields };
    const id = articleId(positionals);
    return change(io, values.json, async (app) => {
      const options = { acceptLoss: values["accept-loss"] };
      if (!values.draft) return articles.updateArticle(app, id, input, CLI_ACTOR, undefined, options);
      await saveDraftCopy(app, id, input, CLI_ACTOR, undefined, options);
      return articles.getArticle(app, id);
    });
  },
};

const OVERRIDE = { override: { type: "string", multiple: true } } as const;

const OVERRIDE_HELP = `  --override KIND=REASON  accept a kind of finding that holds the text, with a reason of at least
                          ${MIN_OVERRIDE_REASON} characters; may be given more than once`;

const publish: Command = {
  summary: VERBS.publish.summary,
  help: `Usage: rostrum article publish ID [--at TIME] [--override KIND=REASON] [--json]

Publishes an approved article: now, or at the time --at (ISO 8601, in the future).

${OVERRIDE_HELP}

${possibleFor("publish")}`,
  async run(args, io) {
    const options = { ...OVERRIDE, at: { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseOptions(args, options, [ID]);
    const at = values.at === undefined ? undefined : parseTime(values.at);
    const overrides = parseOverrides(values.override);
    const id = articleId(positionals);
    return change(io, values.json, async (app) => {
      const deps = await accepting(app, id, overrides);
      return at === undefined
        ? articles.publishArticle(deps, id, CLI_ACTOR)
        : articles.scheduleArticle(deps, id, at, CLI_ACTOR);
    });
  },
};

const approveAndSchedule: Command = {
  summary: VERBS["approve-and-schedule"].summary,
  help: `Usage: rostrum article approve-and-schedule ID --at TIME [--override KIND=REASON] [--json]

Approves an article and schedules its publication for TIME (ISO 8601, in the future).

${OVERRIDE_HELP}

${possibleFor("approve-and-schedule")}`,
  async run(args, io) {
    const options = { ...OVERRIDE, at: { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseOptions(args, options, [ID]);
    const at = parseTime(required(values.at, "at"));
    const overrides = parseOverrides(values.override);
    const id = articleId(positionals);
    return change(io, values.json, async (app) =>
      articles.approveAndScheduleArticle(await accepting(app, id, overrides), id, at, CLI_ACTOR),
    );
  },
};

const approve = approval("approve", articles.approveArticle);
const approveAndPublish = approval("approve-and-publish", articles.approveAndPublishArticle);

const requestChanges: Command = {
  summary: VERBS["request-changes"].summary,
  help: `Usage: rostrum article request-changes ID --reason REASON [--json]

Sends the article back to its author, and withdraws its approval if it has one. Its history shows the reason.

${possibleFor("request-changes")}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { reason: { type: "string" }, json: { type: "boolean" } }, [ID]);
    const reason = required(values.reason, "reason");
    const id = articleId(positionals);
    return change(io, values.json, (app) => articles.requestChanges(app, id, reason, CLI_ACTOR));
  },
};

const assign = personVerb(
  "assign",
  "Assigns the article to a member of its website who may edit articles.",
  articles.assignArticle,
);

const setAuthor = personVerb(
  "set-author",
  "Makes a member of its website who may edit articles the article's author. --nobody: the author is unknown.",
  articles.setAuthor,
);

const label: Command = {
  summary: VERBS.label.summary,
  help: `Usage: rostrum article label ID [--add-tag TAG] [--remove-tag TAG] [--add-category CATEGORY]
                          [--remove-category CATEGORY] [--json]

Each option may be given more than once. Readers see a change of a published article at once.

${possibleFor("label")}`,
  async run(args, io) {
    const texts = { type: "string", multiple: true } as const;
    const options = {
      "add-tag": texts,
      "remove-tag": texts,
      "add-category": texts,
      "remove-category": texts,
      json: { type: "boolean" },
    } as const;
    const { values, positionals } = parseOptions(args, options, [ID]);
    const changes = {
      addTags: values["add-tag"],
      removeTags: values["remove-tag"],
      addCategories: values["add-category"],
      removeCategories: values["remove-category"],
    };
    if (Object.values(changes).every((one) => one === undefined)) {
      throw new UsageError("Give --add-tag, --remove-tag, --add-category or --remove-category.");
    }
    const id = articleId(positionals);
    return change(io, values.json, (app) => labelArticle(app, id, changes, CLI_ACTOR));
  },
};

/** The commands that need nothing but the article. */
const SIMPLE = {
  submit: articles.submitArticle,
  withdraw: articles.withdrawArticle,
  unapprove: articles.unapproveArticle,
  unschedule: (app, id, actor) => articles.scheduleArticle(app, id, null, actor),
  unpublish: articles.unpublishArticle,
  delete: articles.deleteArticle,
  restore: articles.restoreArticle,
} as const satisfies Partial<Record<Verb, (app: App, id: string, actor: typeof CLI_ACTOR) => Promise<FullArticle>>>;

/** `edit` is `update`, and `schedule` is `publish --at`. */
const verbs: Record<Exclude<Verb, "edit" | "schedule">, Command> = {
  submit: simpleVerb("submit"),
  withdraw: simpleVerb("withdraw"),
  assign,
  "set-author": setAuthor,
  label,
  "request-changes": requestChanges,
  approve,
  unapprove: simpleVerb("unapprove"),
  "approve-and-publish": approveAndPublish,
  "approve-and-schedule": approveAndSchedule,
  publish,
  unschedule: simpleVerb("unschedule"),
  unpublish: simpleVerb("unpublish"),
  delete: simpleVerb("delete"),
  restore: simpleVerb("restore"),
};

const reviewLink: Command = {
  summary: "print a link by which somebody without an account reviews an article",
  help: `Usage: rostrum article review-link ID [--for NAME] [--days N] [--json]

The person who opens the link reads the article as it is now, comments on it, and approves it or asks for changes (docs/review.md,
"Review links").
It is valid for --days (1 to 30, default 7), or until it is revoked in the dashboard.`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      { for: { type: "string" }, days: { type: "string" }, json: { type: "boolean" } },
      [ID],
    );
    await using app = await openFor(io);
    const days = values.days === undefined ? {} : { days: Number(values.days) };
    const { link, token } = await createReviewLink(
      app,
      articleId(positionals),
      { label: values.for, ...days },
      CLI_ACTOR,
    );
    const url = reviewUrl(getServiceUrl(app.config), token);
    io.out(values.json ? `${JSON.stringify({ id: link.id, url, expires_at: isoTime(link.expiresAt) })}\n` : `${url}\n`);
  },
};

const preview: Command = {
  summary: "print an address that shows an article on its website before it is published",
  help: `Usage: rostrum article preview ID [--json]

Fills the website's preview address with a token that is valid for an hour. With it the website reads this one article from
the read API, whatever its state (docs/api.md, "Previews").`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [ID]);
    await using app = await openFor(io);
    const { url, token, expiresAt } = await createSitePreview(app, articleId(positionals), CLI_ACTOR);
    io.out(values.json ? `${JSON.stringify({ url, token, expires_at: isoTime(expiresAt) })}\n` : `${url}\n`);
  },
};

export const article: Command = {
  summary: "create, change, approve, publish and delete articles",
  ...subcommands("article", {
    list,
    show: simple("show", "print one article", (app, id) => articles.getArticle(app, id)),
    create,
    update,
    check,
    "apply-draft": simple("apply-draft", "publish a draft copy", (app, id) => applyDraftCopy(app, id, CLI_ACTOR)),
    "discard-draft": simple("discard-draft", "discard a draft copy", async (app, id) => {
      await discardDraftCopy(app, id, CLI_ACTOR);
      return articles.getArticle(app, id);
    }),
    ...verbs,
    comments,
    bulk,
    preview,
    "review-link": reviewLink,
  }),
};

/** Defines a command that takes an account. */
function personVerb(verb: "assign" | "set-author", what: string, set: typeof articles.assignArticle): Command {
  return {
    summary: VERBS[verb].summary,
    help: `Usage: rostrum article ${verb} ID --to EMAIL [--json]
       rostrum article ${verb} ID --nobody [--json]

${what}

${possibleFor(verb)}`,
    async run(args, io) {
      const options = { to: { type: "string" }, nobody: { type: "boolean" }, json: { type: "boolean" } } as const;
      const { values, positionals } = parseOptions(args, options, [ID]);
      if (values.nobody === true && values.to !== undefined) throw new UsageError("Give either --to or --nobody.");
      const email = values.nobody === true ? null : required(values.to, "to");
      const id = articleId(positionals);
      return change(io, values.json, async (app) => {
        const account = email === null ? null : await findAssignee(app, email);
        return set(app, id, account, CLI_ACTOR);
      });
    },
  };
}

/** Defines a command that approves. */
function approval(verb: "approve" | "approve-and-publish", run: typeof articles.approveArticle): Command {
  return {
    summary: VERBS[verb].summary,
    help: `Usage: rostrum article ${verb} ID [--override KIND=REASON] [--json]

${toSentence(VERBS[verb].summary)}

${OVERRIDE_HELP}

${possibleFor(verb)}`,
    async run(args, io) {
      const { values, positionals } = parseOptions(args, { ...OVERRIDE, json: { type: "boolean" } }, [ID]);
      const overrides = parseOverrides(values.override);
      const id = articleId(positionals);
      return change(io, values.json, async (app) => run(await accepting(app, id, overrides), id, CLI_ACTOR));
    },
  };
}

/** @throws UsageError. */
function parseOverrides(given: readonly string[] = []): Acceptance[] {
  return given.map((text) => {
    const [kind, reason] = text.split(/=(.*)/s, 2);
    if (kind === undefined || reason === undefined) throw new UsageError(`--override is "${text}"; write KIND=REASON.`);
    return parseAcceptance({ kind, reason });
  });
}

/** For a change that accepts these findings, too. */
async function accepting(app: App, id: string, overrides: readonly Acceptance[]): Promise<TransitionDeps> {
  return overrides.length === 0 ? app : { ...app, accept: await acceptance(app, id, overrides) };
}

function simpleVerb(verb: keyof typeof SIMPLE): Command {
  return simple(verb, VERBS[verb].summary, (app, id) => SIMPLE[verb](app, id, CLI_ACTOR), possibleFor(verb));
}

function possibleFor(verb: Verb): string {
  return `Possible for an article that is ${listStates(verb)}.`;
}

/** @throws UsageError. */
function parseTime(text: string): number {
  const at = parseIsoTime(text);
  if (at === null) throw new UsageError(`--at is "${text}"; write it like 2026-12-31T08:00:00Z.`);
  return at;
}

function toSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function simple(
  name: string,
  summary: string,
  work: (app: App, id: string) => Promise<FullArticle>,
  more = "",
): Command {
  return {
    summary,
    help: `Usage: rostrum article ${name} ID [--json]\n\n${toSentence(summary)}${more === "" ? "" : `\n\n${more}`}`,
    async run(args, io) {
      const { values, positionals } = parseOptions(args, { json: { type: "boolean" } }, [ID]);
      return change(io, values.json, (app) => work(app, articleId(positionals)));
    },
  };
}

async function change(io: Io, json: boolean | undefined, work: (app: App) => Promise<FullArticle>): Promise<number> {
  await using app = await openFor(io);
  const form = ownerForm(await work(app));
  if (json) {
    io.out(`${JSON.stringify(form)}\n`);
  } else {
    const plan = form.publish_at === null ? "" : `, to be published at ${form.publish_at}`;
    const trash = form.deleted_at === null ? "" : ", in the trash";
    const state = form.review_state === null ? "" : ` (${form.review_state.replace("_", " ")})`;
    io.out(`${form.id}  ${form.status}${state}${plan}${trash}  ${form.title}\n`);
  }
  return 0;
}

function articleId(positionals: readonly string[]): string {
  return (positionals[0] ?? "").toLowerCase();
}
