/**
 * `/mcp`: tools for agents (Model Context Protocol, streamable HTTP without sessions), with access tokens. The tools
 * use the management API; none publishes, and no token may do more here than one of the scope `draft`.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DashboardThread } from "../admin/dashboard-thread.ts";
import { forward } from "../admin/forward-long-bodies.ts";
import { refuseTooLarge } from "../admin/payload-too-large.ts";
import type { Admin, AdminServer } from "../admin/routes.ts";
import { refusal } from "../errors.ts";
import { addWebsite } from "../management/token-access.ts";
import type { DashboardMetrics } from "../operators/metrics.ts";
import { ManagementCalls } from "./management-calls.ts";
import type { Outcome } from "./protocol.ts";

const MAX_BODY_BYTES = 1_000_000;
const MAX_DEPTH = 64;

const INVALID_REQUEST = -32_600;

/** Unlike in our own forms, the body names no `website_id`: it would be in the query. */
const CONFIG = { access: { may: "articles.read", on: "named" }, takes: "file" } as const;

/** Header of the thread's answers: which tool was called, and its outcome. */
const CALLED = "x-rostrum-called";

/** Passes requests to the dashboard's thread: texts are long, and the protocol takes memory. */
export function agentRoutes(app: AdminServer, dashboardThread: DashboardThread, metrics: DashboardMetrics): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  addWebsite(app);

  app.post(
    "",
    {
      config: CONFIG,
      bodyLimit: MAX_BODY_BYTES,
      errorHandler: refuseTooLarge(
        "This is too long: a request has at most 1 MB; send longer texts by the management API",
      ),
      onSend: async (_request, reply, payload) => {
        const [tool, outcome] = String(reply.getHeader(CALLED) ?? "").split(" ");
        void reply.removeHeader(CALLED);
        if (tool !== undefined && outcome !== undefined) metrics.toolCalls.add(1, tool, outcome);
        return payload;
      },
    },
    async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      await forward(request, reply, body, dashboardThread);
      return reply;
    },
  );

  app.route({
    method: ["GET", "DELETE"],
    url: "",
    config: CONFIG,
    handler: async (_request, reply) => {
      const { status, body } = refusal(
        405,
        "There are no sessions here, and nothing is sent without a request: use POST.",
      );
      return reply.code(status).header("Allow", "POST").send(body);
    },
  });
}

/** Answers the requests, in the dashboard's thread. */
export function agentTools(app: AdminServer, admin: Admin): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body);
    if (isTooDeep(text)) done(Object.assign(new Error("This JSON is nested too deeply"), { statusCode: 400 }));
    else if (text === "") done(null);
    else void parse(request, text, done);
  });
  addWebsite(app);

  app.post("", { config: CONFIG, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const { body } = request;
    if (Array.isArray(body)) {
      const error = { code: INVALID_REQUEST, message: "Send one request at a time." };
      return reply.code(400).send({ jsonrpc: "2.0", id: null, error });
    }
    // Loaded at the first call, as it takes 16 MB.
    const { answerAgent } = await import("./protocol.ts");
    const calls = new ManagementCalls(app, admin, request);
    const onCalled = (tool: string, outcome: Outcome) => void reply.header(CALLED, `${tool} ${outcome}`);
    return send(reply, await answerAgent(toRequest(request), { body, calls, onCalled }));
  });
}

/** Keeps only the protocol's headers. */
function toRequest({ headers, method }: FastifyRequest): Request {
  const kept = Object.entries(headers).filter(
    ([name]) => name === "accept" || name === "content-type" || name.startsWith("mcp-"),
  );
  return new Request("http://localhost/mcp", {
    method,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
  });
}

async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const body = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get("content-type");
  if (type !== null) void reply.type(type);
  return reply.code(answer.status).send(body);
}

/** Whether brackets outside of strings are nested more than 64 levels. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (isString) {
      if (unit === BACKSLASH) index++;
      else if (unit === QUOTE) isString = false;
    } else if (unit === QUOTE) isString = true;
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > MAX_DEPTH) return true;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
