/** A request was refused, failed, or was not answered. */
export class RostrumError extends Error {
  override readonly name: string = "RostrumError";
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Which refusal it is, such as `article_not_found`; null unless the service itself refused. docs/api.md lists all. */
  readonly code: string | null;
  /** The invalid parameter of a 400. */
  readonly param: string | null;
  /** The request's id in the service's log. */
  readonly requestId: string | null;

  constructor(
    status: number,
    message: string,
    {
      code = null,
      param = null,
      requestId = null,
      cause,
    }: { code?: string | null; param?: string | null; requestId?: string | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.param = param;
    this.requestId = requestId;
  }
}

const MISSING = new Set(["article_not_found", "article_gone", "article_not_approved", "article_not_published"]);

/** The address, or address and headers together, are longer than the service or a proxy accepts. */
const TOO_LONG = new Set([414, 431]);

/**
 * Whether the service says that there is no such article to read, or that there can be none with this id or slug: sites take both from
 * the addresses that visitors request. A proxy's 404 or 403 says nothing about it.
 */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof RostrumError)) return false;
  const { status, code, param } = error;
  const isImpossible = code === "invalid_parameter" && (param === "id" || param === "slug");
  return MISSING.has(code ?? "") || isImpossible || TOO_LONG.has(status);
}

export function hasPreviewEnded(error: unknown): boolean {
  return error instanceof RostrumError && error.code === "preview_ended";
}

/** The message is not a genuine webhook: answer 401 and ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}
