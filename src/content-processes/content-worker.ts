/**
 * The process that derives content from untrusted text; pool.ts starts it and kills it when a text exceeds a limit. It has no
 * secrets, connections or files of the service: a harmful text can only get itself refused.
 */
import { serve } from "./serve.ts";
import { BLANK_SOURCE } from "../domain/articles/content/content-source.ts";
import { prepareContent } from "../domain/articles/content/content.ts";

warmUp();
serve(() => (message) => {
  if (message.type !== "prepare") throw new Error(`nothing to ${message.type} here`);
  const { source, startedAt } = message;
  const began = performance.now();
  const clock = () => startedAt + Math.round(performance.now() - began);
  return { type: "prepared", content: prepareContent(source, clock) };
});

/** Loads what the first article needs, above all the language database, before that article's time is counted. */
function warmUp(): void {
  const markdown = "The service reads this text once, so that the **first article** is as quick as those after it.\n";
  prepareContent({ ...BLANK_SOURCE, markdown }, Date.now);
}
