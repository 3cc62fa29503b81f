/** An error whose message can be shown to the user, like the service's errors. */
export class ExplainedError extends Error {
  override readonly name = "ExplainedError";
}
