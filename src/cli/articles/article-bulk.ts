import { openFor } from "../system/databases.ts";
import { BULK_VERBS } from "../../domain/articles/verbs.ts";
import { searchTokens } from "../../domain/articles/content/measure/search.ts";
import { parseIsoTime } from "../../domain/system/time.ts";
import { LIST_VIEWS, listRowNos } from "../../operations/articles/lists/article-lists.ts";
import { findAssignee } from "../../operations/articles/review/article-review.ts";
import { type BulkInput, changeEach } from "../../operations/articles/write/bulk.ts";
import { ReadModel } from "../../operations/articles/read-model/read-model.ts";
import { getWebsite } from "../../operations/website/websites.ts";
import { listVersions } from "../../store/articles/article-lists.ts";
import { CLI_ACTOR, type Command, parseChoice, parseOptions, required, UsageError } from "../command.ts";

/** Memory for the lists, freed when the command ends. */
const CACHE_BYTES = 64_000_000;
const EXIT_REFUSED = 1;

/** `mine` needs a signed-in person. */
const VIEWS = LIST_VIEWS.filter((view) => view !== "mine");

const texts = { type: "string", multiple: true } as const;

export const bulk: Command = {
  summary: "do one thing with all articles of a queue",
  help: `Usage: rostrum article bulk ACTION --website WEBSITE --view VIEW [--query WORDS] [--tag TAG]
                            [--category CATEGORY] [--json] [what the action needs]

ACTION: ${BULK_VERBS.slice(0, 8).join(", ")},
        ${BULK_VERBS.slice(8).join(", ")}
VIEW:   ${VIEWS.join(", ")}

Does it with all articles that match at the start, one after the other. One that is refused does not stop
the others: it is printed with the reason, and the exit code is 1.

  --reason REASON                        for request-changes
  --at TIME                              for schedule and approve-and-schedule (ISO 8601, in the future)
  --to EMAIL, or --nobody                for assign and set-author
  --add-tag, --remove-tag TAG            for label; may be given more than once,
  --add-category, --remove-category      and so may these`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        website: { type: "string" },
        view: { type: "string" },
        query: { type: "string" },
        tag: { type: "string" },
        category: { type: "string" },
        reason: { type: "string" },
        at: { type: "string" },
        to: { type: "string" },
        nobody: { type: "boolean" },
        "add-tag": texts,
        "remove-tag": texts,
        "add-category": texts,
        "remove-category": texts,
        json: { type: "boolean" },
      },
      ["The action"],
    );
    const action = BULK_VERBS.find((verb) => verb === positionals[0]);
    if (action === undefined) throw new UsageError(`There is no action "${positionals[0]}".`);
    const wanted = required(values.website, "website");
    const view = parseChoice(required(values.view, "view"), VIEWS, "view") ?? "all";
    const input: BulkInput = {
      addTags: values["add-tag"],
      removeTags: values["remove-tag"],
      addCategories: values["add-category"],
      removeCategories: values["remove-category"],
    };
    if (action === "request-changes") input.reason = required(values.reason, "reason");
    if (action === "schedule" || action === "approve-and-schedule") {
      const at = required(values.at, "at");
      input.publishAt = parseIsoTime(at) ?? undefined;
      if (input.publishAt === undefined) {
        throw new UsageError(`--at is "${at}"; write it like 2026-12-31T08:00:00Z.`);
      }
    }
    if (action === "label" && Object.values(input).every((one) => one === undefined)) {
      throw new UsageError("Give --add-tag, --remove-tag, --add-category or --remove-category.");
    }
    const isPerson = action === "assign" || action === "set-author";
    const email = !isPerson || values.nobody === true ? null : required(values.to, "to");
    const words = values.query === undefined ? [] : [...new Set(searchTokens(values.query))].toSorted();

    await using app = await openFor(io);
    const { id: websiteId } = await getWebsite(app, wanted);
    const person = email === null ? null : await findAssignee(app, email);
    if (action === "assign") input.assigneeId = person;
    if (action === "set-author") input.authorId = person;
    const readModel = new ReadModel({ store: app.store, cacheBytes: CACHE_BYTES, onChange: () => undefined });
    const rowNos = await listRowNos(readModel, websiteId, {
      view,
      person: null,
      sort: null,
      filter: {
        ...(values.tag === undefined ? {} : { tag: values.tag }),
        ...(values.category === undefined ? {} : { category: values.category }),
        ...(words.length === 0 ? {} : { words }),
      },
    });
    const chosen = await app.store.read((db) => listVersions(db, websiteId, [...rowNos]));
    const counts = { done: 0, refused: 0, held: 0 };
    const onError = (error: unknown) => io.err(`${error instanceof Error ? error.message : String(error)}\n`);
    for await (const { id, refusal, isHeld } of changeEach(app, action, websiteId, chosen, CLI_ACTOR, input, onError)) {
      if (refusal === null) counts.done++;
      else counts.refused++;
      if (isHeld === true) counts.held++;
      if (values.json) io.out(`${JSON.stringify({ id, ok: refusal === null, message: refusal })}\n`);
      else if (refusal !== null) io.out(`${id}  ${refusal}\n`);
    }
    const held = counts.held === 0 ? "" : ` (${counts.held} held by what was found in the text)`;
    if (!values.json) io.out(`${counts.done} done, ${counts.refused} refused${held}\n`);
    return counts.refused > 0 ? EXIT_REFUSED : 0;
  },
};
