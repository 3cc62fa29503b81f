/** Derives content from untrusted text, with nothing to lose: no secrets, connections or files of the service. */
import type { Understood } from "../domain/articles/senders/sender.ts";
import type { Proofs } from "../domain/articles/senders/credentials.ts";
import type { Place } from "../domain/articles/senders/dialect.ts";
import { readArrival } from "../importers/senders/read-arrival.ts";
import { readProofs } from "../importers/senders/read-proofs.ts";
import type { ReadableArrival } from "../operations/system/deps.ts";
import { answerService } from "./answer-service.ts";
import { detectLanguage } from "./language.ts";
import type { Millis } from "../domain/system/time.ts";
import { BLANK_SOURCE, type ContentSource } from "../domain/articles/content/content-source.ts";
import { type DerivedContent, deriveContent } from "../domain/articles/content/content.ts";
import { followInText, type Followed, type FollowInput } from "../domain/articles/passages.ts";
import { type Redline, redline, type RedlineInput } from "../domain/articles/content/redline/redline.ts";
import { type PackedError, packError } from "../process/child-loop.ts";

export type Text =
  | { type: "derive"; source: ContentSource; startedAt: Millis }
  | { type: "compare"; before: RedlineInput; after: RedlineInput }
  | { type: "find passages"; input: FollowInput }
  | { type: "read arrival"; arrival: ReadableArrival }
  | { type: "read proofs"; body: string; places: readonly Place[] };

export type TextResult = { value: DerivedContent | Redline | Followed | Understood | Proofs } | { error: PackedError };

/** Results that are sent together: the parent reads them while this process works on the next texts. */
const RESULTS_AT_ONCE = 4;

const calls = {
  process(texts: Text[], send: (results: TextResult[]) => void): TextResult[] {
    let from = 0;
    for (; from + RESULTS_AT_ONCE < texts.length; from += RESULTS_AT_ONCE) {
      send(texts.slice(from, from + RESULTS_AT_ONCE).map(processOne));
    }
    return texts.slice(from).map(processOne);
  },
};
export type ContentCalls = typeof calls;

warmUp();
answerService(calls);

function processOne(text: Text): TextResult {
  try {
    if (text.type === "compare") return { value: redline(text.before, text.after) };
    if (text.type === "find passages") return { value: followInText(text.input) };
    if (text.type === "read arrival") return { value: readArrival(text.arrival) };
    if (text.type === "read proofs") return { value: readProofs(text.body, text.places) };
    const began = performance.now();
    const clock = () => text.startedAt + Math.round(performance.now() - began);
    return { value: deriveContent(text.source, { clock, detectLanguage }) };
  } catch (error) {
    return { error: packError(error) };
  }
}

/** Loads what the first article needs, above all the language database, before that article's time is counted. */
function warmUp(): void {
  const markdown = "The service reads this text once, so that the **first article** is as quick as those after it.\n";
  deriveContent({ ...BLANK_SOURCE, markdown }, { clock: Date.now, detectLanguage });
}
