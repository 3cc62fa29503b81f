import type { FastifyReply } from "fastify";
import type { OutgoingHttpHeaders } from "node:http";
import { AppError } from "../../../domain/system/errors.ts";
import { ChangeStream } from "../../../operations/people/change-stream.ts";
import { refusal } from "../../errors.ts";
import { liveParameters } from "../contract/overview.ts";
import { REPLACED } from "../admin-options.ts";
import { EventStream } from "./event-stream.ts";
import { type Admin, type AdminServer, getPerson } from "../routes.ts";

/** Proxies close connections that are silent for a minute, some after half of that. */
const BEAT_EVERY_MS = 15_000;
/** Without HTTP/2 a browser opens six connections to a host: one is left for everything else. */
const MAX_SESSION_SHARE = 5;

export function liveRoutes(app: AdminServer, admin: Admin): void {
  const { deps, onError, stopping } = admin;
  const live = new ChangeStream({ deps, onError });
  const streams = new Streams();
  stopping.addEventListener("abort", () => live.end(), { once: true });
  app.addHook("onClose", () => live[Symbol.asyncDispose]());

  app.get(
    "/live",
    // A HEAD request has no use here, and the stream would never end.
    {
      config: { access: { may: "articles.read", on: "named" }, isStream: true },
      schema: { querystring: liveParameters },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { website_id: websiteId, since } = request.query;
      const sessionId = getPerson(request).session.id;
      let stream: EventStream | undefined;
      const watched = stopping.aborted
        ? undefined
        : await live.watch(
            {
              websiteId,
              sessionId,
              onChange: (topics) => stream?.send(topics),
              onEnd: () => stream?.end(),
            },
            since,
          );
      // Each answer closes its connection: when the browser has used up those to this process, the next one leads to the other.
      if (stopping.reason === REPLACED) return reply.redirect(request.originalUrl, 307);
      if (stopping.aborted) {
        const { status, body } = refusal(503, "The service is stopping. Try again in a moment.");
        return reply.code(status).send(body);
      }
      // The browser may have disconnected meanwhile; nothing would ever close a stream opened now.
      if (reply.raw.destroyed || reply.raw.closed) {
        watched?.stop();
        return reply.hijack();
      }
      if (watched === undefined) throw new AppError("unauthenticated", "You no longer have access to this website.");
      stream = open(reply, websiteId);
      stream.send(watched.topics);
      streams.add(sessionId, stream);
      reply.raw.once("close", () => {
        watched.stop();
        streams.delete(sessionId, stream);
      });
      return reply;
    },
  );
}

/** Takes the response over from Fastify. */
function open(reply: FastifyReply, websiteId: string): EventStream {
  reply.hijack();
  // Fastify's type allows any type of value for any header.
  return new EventStream(reply.raw, reply.getHeaders() as OutgoingHttpHeaders, websiteId);
}

/** The open streams by session, oldest first, and the timer that calls `beat`. */
class Streams {
  readonly #open = new Map<string, Set<EventStream>>();
  #timer: NodeJS.Timeout | undefined;

  add(sessionId: string, stream: EventStream): void {
    const own = this.#open.get(sessionId) ?? new Set();
    this.#open.set(sessionId, own.add(stream));
    const [oldest] = own;
    // The newer streams are kept: their pages are the ones in use.
    if (own.size > MAX_SESSION_SHARE && oldest !== undefined) {
      own.delete(oldest);
      oldest.end("event: superseded\ndata: {}\n\n");
    }
    this.#timer ??= setInterval(() => {
      for (const all of this.#open.values()) for (const one of all) one.beat();
    }, BEAT_EVERY_MS).unref();
  }

  delete(sessionId: string, stream: EventStream): void {
    const own = this.#open.get(sessionId);
    own?.delete(stream);
    if (own?.size === 0) this.#open.delete(sessionId);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
