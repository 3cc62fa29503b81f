/** The service refused a request, failed, or did not answer. */
export class RostrumError extends Error {
  override readonly name: string = "RostrumError";
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** The parameter that is wrong, with a 400. */
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

/** A webhook's message that is not genuine: answer 401 and do nothing with it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}
