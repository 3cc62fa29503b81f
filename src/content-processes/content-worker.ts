/**
 * The process that derives content from untrusted text; pool.ts starts it and kills it when a text exceeds a limit. It has no
 * secrets, connections or files of the service: a harmful text can only get itself refused.
 */
import type { Refusal } from "./messages.ts";
import { serveParent, toRefusal } from "./serve.ts";
import type { Millis } from "../domain/system/time.ts";
import { BLANK_SOURCE, type ContentSource } from "../domain/articles/content/content-source.ts";
import { type DerivedContent, deriveContent } from "../domain/articles/content/content.ts";
import { followInText } from "../domain/articles/passages.ts";
import { redline } from "../domain/articles/content/redline/redline.ts";

/** Texts per message: the parent reads one message while this process works on the next. */
const TEXTS_AT_ONCE = 4;

warmUp();
serveParent((send) => (message) => {
  if (message.type === "compare") return { type: "compared", redline: redline(message.before, message.after) };
  if (message.type === "findPassages") return { type: "passages", followed: followInText(message.input) };
  if (message.type !== "derive") throw new Error(`nothing to ${message.type} here`);
  const { texts } = message;
  let from = 0;
  for (; from + TEXTS_AT_ONCE < texts.length; from += TEXTS_AT_ONCE) {
    send({ type: "derived", results: texts.slice(from, from + TEXTS_AT_ONCE).map(deriveOne), isLast: false });
  }
  return { type: "derived", results: texts.slice(from).map(deriveOne), isLast: true };
});

function deriveOne({ source, startedAt }: { source: ContentSource; startedAt: Millis }): DerivedContent | Refusal {
  const began = performance.now();
  try {
    return deriveContent(source, () => startedAt + Math.round(performance.now() - began));
  } catch (error) {
    return toRefusal(error);
  }
}

/** Loads what the first article needs, above all the language database, before that article's time is counted. */
function warmUp(): void {
  const markdown = "The service reads this text once, so that the **first article** is as quick as those after it.\n";
  deriveContent({ ...BLANK_SOURCE, markdown }, Date.now);
}
