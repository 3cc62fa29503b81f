/** A request was refused, failed, or was not answered. */
export class RostrumError extends Error {
  override readonly name: string = "RostrumError";
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The invalid parameter of a 400. */
  readonly param: string | null;
  /** The request's id in the service's log. */
  readonly requestId: string | null;

  constructor(
    status: number,
    message: string,
    {
      param = null,
      requestId = null,
      cause,
    }: { param?: string | null; requestId?: string | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.param = param;
    this.requestId = requestId;
  }
}

/** The message is not a genuine webhook: answer 401 and ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}
