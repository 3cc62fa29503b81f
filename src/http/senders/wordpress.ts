/**
 * The part of WordPress' REST API that generators and clients call to publish, below a sender's address, with an application
 * password. What they ask to publish waits for a person: it is answered as `pending`, and the post's address is the one that it
 * will have.
 */
import type { ArrivalRequest } from "../../domain/articles/senders/sender.ts";
import { authenticate } from "../../operations/articles/senders/receive.ts";
import type { Protocol, SenderCall, SenderReply } from "./protocol.ts";
import { createMedia, changeMedia, getMedia, keepMedia, listMedia } from "./wordpress-media.ts";
import { changePost, createPost, getPost, listPosts, removePost } from "./wordpress-posts.ts";
import { toErrorReply, toReply, type WordPressCall, WordPressError, type WordPressReply } from "./wordpress-request.ts";
import {
  getSettings,
  getStatuses,
  getTaxonomies,
  getType,
  getTypes,
  getUser,
  listUsers,
  showSite,
} from "./wordpress-site.ts";
import { createTerm, getTerm, listTerms } from "./wordpress-terms.ts";

type Handler = (call: WordPressCall) => Promise<WordPressReply> | WordPressReply;

const CHANGE = ["POST", "PUT", "PATCH"] as const;

const ROUTES: readonly { methods: readonly string[]; route: RegExp; handle: Handler }[] = [
  { methods: ["GET"], route: /^\/wp\/v2\/posts$/, handle: listPosts },
  { methods: ["POST"], route: /^\/wp\/v2\/posts$/, handle: createPost },
  { methods: ["GET"], route: /^\/wp\/v2\/posts\/(\d{1,15})$/, handle: getPost },
  { methods: CHANGE, route: /^\/wp\/v2\/posts\/(\d{1,15})$/, handle: changePost },
  { methods: ["DELETE"], route: /^\/wp\/v2\/posts\/(\d{1,15})$/, handle: removePost },
  { methods: ["GET"], route: /^\/wp\/v2\/media$/, handle: listMedia },
  { methods: ["POST"], route: /^\/wp\/v2\/media$/, handle: createMedia },
  { methods: ["GET"], route: /^\/wp\/v2\/media\/(\d{1,15})$/, handle: getMedia },
  { methods: CHANGE, route: /^\/wp\/v2\/media\/(\d{1,15})$/, handle: changeMedia },
  { methods: ["DELETE"], route: /^\/wp\/v2\/media\/(\d{1,15})$/, handle: keepMedia },
  ...(["tag", "category"] as const).flatMap((kind) => {
    const [list, one] =
      kind === "tag"
        ? [/^\/wp\/v2\/tags$/, /^\/wp\/v2\/tags\/(\d{1,15})$/]
        : [/^\/wp\/v2\/categories$/, /^\/wp\/v2\/categories\/(\d{1,15})$/];
    return [
      { methods: ["GET"], route: list, handle: (call: WordPressCall) => listTerms(call, kind) },
      { methods: ["POST"], route: list, handle: (call: WordPressCall) => createTerm(call, kind) },
      { methods: ["GET"], route: one, handle: (call: WordPressCall) => getTerm(call, kind) },
    ];
  }),
  { methods: ["GET"], route: /^\/wp\/v2\/users$/, handle: listUsers },
  { methods: ["GET"], route: /^\/wp\/v2\/users\/(?:me|1)$/, handle: getUser },
  { methods: ["GET"], route: /^\/wp\/v2\/types$/, handle: getTypes },
  { methods: ["GET"], route: /^\/wp\/v2\/types\/post$/, handle: getType },
  { methods: ["GET"], route: /^\/wp\/v2\/statuses$/, handle: getStatuses },
  { methods: ["GET"], route: /^\/wp\/v2\/taxonomies$/, handle: getTaxonomies },
  { methods: ["GET"], route: /^\/wp\/v2\/settings$/, handle: getSettings },
];

export const wordpress: Protocol = { isAsked: (request) => findRoute(request) !== null, answer };

async function answer(call: SenderCall): Promise<SenderReply> {
  const { request } = call;
  const route = findRoute(request) ?? "";
  const method = getMethod(request);
  try {
    // The same for every sender, and for none: clients look here before they send a credential.
    if (method === "GET" && (route === "" || route === "/" || route === "/wp/v2")) {
      return toReply(showSite(call), request);
    }
    const sender = await authenticate(call.deps, call.senderId, withPassword(request), call.body);
    if (sender === undefined) throw refuse(request);
    for (const { methods, route: pattern, handle } of ROUTES) {
      const found = methods.includes(method) ? pattern.exec(route) : null;
      if (found === null) continue;
      const numbers = found.slice(1).map(Number);
      const stored = { ...request, method, path: `/wp-json${route}` };
      return toReply(await handle({ ...call, sender, numbers, request: stored }), request);
    }
    throw new WordPressError(404, "rest_no_route", "No route was found matching the URL and request method.");
  } catch (error) {
    return toErrorReply(error);
  }
}

/** The route that a request is of, without a slash at its end; null: of another API. */
function findRoute({ method, path, query }: Pick<ArrivalRequest, "method" | "path" | "query">): string | null {
  const [, below] = /^(?:\/index\.php)?\/wp-json(\/.*)?$/.exec(path) ?? [];
  const isIndex = path === "/wp-json" || path === "/index.php/wp-json";
  const isRoot = path === "" || path === "/" || path === "/index.php";
  // A HEAD of the site asks where its API is.
  const atRoot = query["rest_route"] ?? (method === "HEAD" ? "" : undefined);
  const given = below ?? (isIndex ? "" : isRoot ? atRoot : undefined);
  if (given === undefined) return null;
  const route = given.replace(/\/$/, "");
  // Plugins of single products have routes of their own.
  return route === "" || route === "/wp/v2" || route.startsWith("/wp/v2/") ? route : null;
}

/** Some clients, and servers between, know only GET and POST. */
function getMethod({ method, headers, query }: ArrivalRequest): string {
  if (method === "HEAD") return "GET";
  if (method !== "POST") return method;
  const meant = (headers["x-http-method-override"] ?? query["_method"] ?? method).toUpperCase();
  return ["PUT", "PATCH", "DELETE"].includes(meant) ? meant : method;
}

/** The password as it was shown: some clients remove its spaces, which WordPress ignores. */
function withPassword(request: ArrivalRequest): ArrivalRequest {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(request.headers["authorization"] ?? "") ?? [];
  if (encoded === undefined) return request;
  const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  const plain = password.replaceAll(/\s/g, "");
  if (!/^[\dA-Za-z]{24}$/.test(plain)) return request;
  const shown = plain.replaceAll(/.{4}(?=.)/g, "$& ");
  const authorization = `Basic ${Buffer.from(`${user}:${shown}`).toString("base64")}`;
  return { ...request, headers: { ...request.headers, authorization } };
}

function refuse({ headers }: ArrivalRequest): WordPressError {
  return headers["authorization"] === undefined
    ? new WordPressError(401, "rest_not_logged_in", "You are not currently logged in.")
    : new WordPressError(401, "incorrect_password", "The provided password is an invalid application password.");
}
