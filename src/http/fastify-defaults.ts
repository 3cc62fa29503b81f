/** What all Fastify responses have in common: headers, errors, a line in the log. */
import helmet from "@fastify/helmet";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errorReply, refusal } from "./errors.ts";
import type { RequestFacts, RequestLog } from "./request-log.ts";
import { traceFacts } from "./trace-context.ts";
import { TooManyTries } from "./too-many-requests.ts";

const REQUEST_ID = "X-Request-Id";

export async function setFastifyDefaults(app: FastifyInstance, log: RequestLog): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Only the proxy in front knows whether TLS is used.
    strictTransportSecurity: false,
  });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header(REQUEST_ID, request.id);
  });
  app.setErrorHandler(async (error, request, reply) => {
    const isTheirs = error instanceof Error && "statusCode" in error && Number(error.statusCode) < 500;
    const { status, headers, body } = isTheirs
      ? refusal(Number(error.statusCode), `${error.message}.`, getErrorExtras(error))
      : errorReply(error, request.id);
    if (status >= 500) log.failed(getRequestFacts(request), error);
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(async (_request, reply) => {
    const { status, body } = refusal(404, "There is nothing here; the documentation is at /docs.");
    return reply.code(status).send(body);
  });
  app.addHook("onResponse", async (request, reply) => {
    const { statusCode: status, elapsedTime: ms } = reply;
    if (log.isVerbose || status >= 400) {
      log.finished({ ...getRequestFacts(request), status, ms });
    }
  });
}

function getRequestFacts({ id, raw, method, url }: FastifyRequest): RequestFacts {
  return { requestId: id, ...traceFacts(raw), method, url };
}

/** For Fastify's `frameworkErrors`: a URL that could not be routed. */
export function replyToBadAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, body } =
    error.statusCode === 414
      ? refusal(414, "A part of the address is too long.")
      : refusal(400, "The address is not well-formed: write a percent sign as %25.");
  void reply.header(REQUEST_ID, request.id).code(status).send(body);
}

/** Names the invalid parameter of a request, or when to retry. */
function getErrorExtras(error: Error): { param?: string; headers?: Record<string, string> } {
  if (error instanceof TooManyTries) return { headers: error.headers };
  if (!("validation" in error) || !Array.isArray(error.validation)) return {};
  const [first] = error.validation as { instancePath?: string; params?: Record<string, unknown> }[];
  const missing = first?.params?.["missingProperty"] ?? first?.params?.["additionalProperty"];
  const param = typeof missing === "string" ? missing : first?.instancePath?.slice(1);
  return param === undefined || param === "" ? {} : { param };
}
