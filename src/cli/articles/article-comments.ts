import { openFor } from "../system/databases.ts";
import { nameMentions } from "../../domain/articles/comment.ts";
import { isoTime, isoTimeOrNull } from "../../domain/system/time.ts";
import { getComments, type ShownThread } from "../../operations/articles/review/comments.ts";
import { type Command, parseOptions } from "../command.ts";

export const comments: Command = {
  summary: "print the comments on an article",
  help: `Usage: rostrum article comments ID [--open] [--json]

Prints the comments on the article, oldest first, each with the passage that it is about and its replies.

  --open  leave out those that are resolved`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { open: { type: "boolean" }, json: { type: "boolean" } }, [
      "The article's id",
    ]);
    await using app = await openFor(io);
    const found = await getComments(app, (positionals[0] ?? "").toLowerCase());
    const threads = found.threads.filter(({ resolved }) => values.open !== true || resolved === null);
    io.out(values.json ? `${JSON.stringify(threads.map(commentForm))}\n` : threads.map(describeThread).join("\n"));
  },
};

function commentForm(thread: ShownThread) {
  const { id, quote, passage, replacement, resolved, appliedAt } = thread;
  return {
    id,
    quote,
    is_in_text: passage !== null,
    replacement,
    resolved_at: isoTimeOrNull(resolved?.at ?? null),
    resolved_by: resolved && (resolved.by.name ?? resolved.by.id),
    applied_at: isoTimeOrNull(appliedAt),
    comments: thread.comments.map(({ id: commentId, person, body, mentions, createdAt, editedAt, isDeleted }) => ({
      id: commentId,
      by: person.name ?? person.id,
      text: nameMentions(body, mentions),
      created_at: isoTime(createdAt),
      edited_at: isoTimeOrNull(editedAt),
      is_deleted: isDeleted,
    })),
  };
}

function describeThread(thread: ShownThread): string {
  const { quote, is_in_text, replacement, resolved_by: resolver, comments: all } = commentForm(thread);
  const place = quote === "" ? "The whole article" : `“${quote}”${is_in_text ? "" : " (no longer in the text)"}`;
  const suggested = replacement === null ? [] : [`  Suggested instead: “${replacement}”`];
  const said = all.map(({ by, text, created_at, is_deleted }) => {
    return `  ${created_at}  ${by}: ${is_deleted ? "(deleted)" : text.replaceAll("\n", "\n    ")}`;
  });
  const end = resolver === null ? [] : [`  Resolved by ${resolver}`];
  return `${[place, ...suggested, ...said, ...end].join("\n")}\n`;
}
