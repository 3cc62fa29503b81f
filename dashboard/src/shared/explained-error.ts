/** One whose message is a sentence for people, as those of the service are. */
export class ExplainedError extends Error {
  override readonly name = "ExplainedError";
}
