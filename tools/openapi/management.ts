/**
 * The OpenAPI description of the management API, from the schemas that its routes check requests and write answers
 * with. `tools/generate.ts` writes it to openapi-management.json.
 */
import fastify, { type FastifySchema, type RouteOptions } from "fastify";
import type { AdminOptions } from "../../src/http/admin/admin-options.ts";
import type { Admin } from "../../src/http/admin/routes.ts";
import { can } from "../../src/domain/people/permissions.ts";
import { ROLE_OF_SCOPE, TOKEN_SCOPES } from "../../src/domain/people/access-token.ts";
import { batchLine, pushItem, pushRemoval } from "../../src/http/admin/contract/imports.ts";
import { ARCHIVE } from "../../src/http/management/batch.ts";
import { broughtArticle } from "../../src/http/management/contract.ts";
import { managementRoutes } from "../../src/http/management/management.ts";

type Json = Record<string, unknown>;

const INTRODUCTION = `Hand articles in from a script, a generator, an agent or a repository, and hear what people made of them.

\`\`\`sh
curl -X PUT "$ROSTRUM_URL/api/management/articles/by-external-id/tea-1" \\
  -H "Authorization: Bearer $ROSTRUM_TOKEN" -H "Content-Type: application/json" \\
  -d '{"title": "Oolong", "markdown": "Between green and black tea."}'
\`\`\`

- **Access tokens** begin with \`rm_\`, belong to one website and have a scope: \`read\`, \`draft\` or \`publish\`. What a token
  writes waits for review, whatever its scope; publishing is a request of its own.
- **Versions**: an article's \`etag\` names the text that you saw. PATCH, DELETE and actions take it in \`If-Match\`, and fail
  with 412 if somebody has changed the article since.
- **Repeats**: POST and PATCH with an \`Idempotency-Key\` are made once, however often they arrive within a day.
- **Errors** say what to do: \`{error, message, code}\`, and \`param\` where one is at fault. Unknown fields are errors.
- **An answer means that it is on the disk.**
- **Rate**: 20 requests a second, 40 at once; then 429 with \`Retry-After\`.`;

const TAGS = [
  { name: "Articles", description: "Read and write them." },
  { name: "Many articles", description: "By your own ids, one or many at a time." },
  { name: "Actions", description: "What leads from a draft to publication." },
  { name: "Feedback", description: "What people say and do." },
  { name: "History", description: "Earlier texts, and what differs." },
  { name: "Pictures", description: "For texts and as featured images." },
  { name: "Access", description: "What the token may do." },
];
type Tag = "Articles" | "Many articles" | "Actions" | "Feedback" | "History" | "Pictures" | "Access";

interface Operation {
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
}

const action = (id: string, summary: string): Operation => ({ id, tag: "Actions", summary });

/** Words for each route: without them the description cannot be made. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /articles": { id: "listArticles", tag: "Articles", summary: "List articles" },
  "POST /articles": {
    id: "createArticle",
    tag: "Articles",
    summary: "Create an article",
    description: "It is a draft of the token's, and may have no text yet.",
  },
  "GET /articles/:id": { id: "getArticle", tag: "Articles", summary: "Get an article" },
  "PATCH /articles/:id": {
    id: "editArticle",
    tag: "Articles",
    summary: "Change an article",
    description:
      "An approved article returns to review; the changes of a published one wait in its draft copy. An answer may be sent back: what is derived is ignored.",
  },
  "DELETE /articles/:id": { id: "removeArticle", tag: "Articles", summary: "Move an article to the trash" },
  "POST /articles/check": {
    id: "checkArticle",
    tag: "Articles",
    summary: "Check an article without saving it",
    description: "Says what would be saved, and what would be lost.",
  },
  "GET /articles/by-external-id/:external_id": {
    id: "getArticleByExternalId",
    tag: "Many articles",
    summary: "Get an article by your own id",
  },
  "PUT /articles/by-external-id/:external_id": {
    id: "putArticle",
    tag: "Many articles",
    summary: "Create or update an article by your own id",
    description:
      "Field by field against what you sent last: what you did not change is left alone, what you alone changed is applied, what somebody else changed as well is held until people decide. A repeat changes nothing. An approved article returns to review; of a published one the changes go to its draft copy.",
  },
  "POST /articles/batch": {
    id: "putArticles",
    tag: "Many articles",
    summary: "Create or update many articles",
    description:
      "A line of JSON for each article, as for `putArticle`, with its `external_id`; up to 200 MB. The answer has a line for each as soon as it is saved, and a summary at the end. A bad line stops nobody. If the connection breaks, send all of it again: what was saved is unchanged. `rostrum push` sends files of a repository here, as an archive.",
  },
  "POST /articles/batch/files": {
    id: "compareFiles",
    tag: "Many articles",
    summary: "Find out which files of a repository to send",
    description: "As `rostrum push` does, before it sends them. The listed files are those of the token from then on.",
  },
  "GET /exports": {
    id: "exportArticles",
    tag: "Many articles",
    summary: "Export all articles",
    description: "A line of JSON for each article; with `format`, a file for the importer of WordPress or Ghost.",
  },
  "POST /articles/:id/submit": action("submitArticle", "Submit an article for review"),
  "POST /articles/:id/withdraw": action("withdrawArticle", "Take an article back from review"),
  "POST /articles/:id/assign": action("assignArticle", "Say who takes care of an article"),
  "POST /articles/:id/request-changes": action("requestChanges", "Request changes to an article"),
  "POST /articles/:id/approve": action("approveArticle", "Approve an article"),
  "POST /articles/:id/unapprove": action("unapproveArticle", "Take an approval back"),
  "POST /articles/:id/publish": action("publishArticle", "Publish an approved article"),
  "POST /articles/:id/schedule": action("scheduleArticle", "Schedule the publication of an article"),
  "POST /articles/:id/unpublish": action("unpublishArticle", "Take a published article down"),
  "POST /articles/:id/approve-and-publish": action("approveAndPublishArticle", "Approve and publish an article"),
  "POST /articles/:id/approve-and-schedule": action("approveAndScheduleArticle", "Approve and schedule an article"),
  "POST /articles/:id/delete": action("deleteArticle", "Move an article to the trash, by an action"),
  "POST /articles/:id/restore": action("restoreArticle", "Restore an article from the trash"),
  "POST /articles/:id/removal-request": {
    ...action("requestRemoval", "Ask people to delete an article"),
    description: "For tokens that may not delete; people decide.",
  },
  "POST /articles/:id/draft/publish": action("publishDraft", "Publish the draft copy of an article"),
  "DELETE /articles/:id/draft": action("discardDraft", "Discard the draft copy of an article"),
  "GET /feedback": {
    id: "listFeedback",
    tag: "Feedback",
    summary: "List what others did",
    description:
      "In the order in which it happened, without what the token did itself. The answer is two seconds behind, so that nothing is missed. An empty one has `Retry-After`.",
  },
  "GET /articles/:id/comments": { id: "listComments", tag: "Feedback", summary: "List the comments on an article" },
  "POST /articles/:id/comments": { id: "addComment", tag: "Feedback", summary: "Comment on an article" },
  "POST /articles/:id/comments/:comment/replies": {
    id: "replyToComment",
    tag: "Feedback",
    summary: "Reply to a comment",
  },
  "POST /articles/:id/comments/:comment/resolve": {
    id: "resolveComment",
    tag: "Feedback",
    summary: "Resolve a comment",
  },
  "POST /articles/:id/comments/:comment/reopen": {
    id: "reopenComment",
    tag: "Feedback",
    summary: "Reopen a comment",
  },
  "GET /articles/:id/history": { id: "getHistory", tag: "History", summary: "Get what happened to an article" },
  "GET /articles/:id/revisions/:revision": { id: "getRevision", tag: "History", summary: "Get an earlier text" },
  "POST /articles/:id/revisions/:revision/restore": {
    id: "restoreRevision",
    tag: "History",
    summary: "Restore an earlier text",
  },
  "GET /articles/:id/redline": { id: "getRedline", tag: "History", summary: "Compare two texts of an article" },
  "GET /articles/:id/redline-bases": {
    id: "listRedlineBases",
    tag: "History",
    summary: "List the texts to compare an article with",
  },
  "GET /articles/:id/translations": {
    id: "listTranslations",
    tag: "Articles",
    summary: "List the translations of an article",
  },
  "GET /articles/:id/deliveries": {
    id: "listDeliveries",
    tag: "Articles",
    summary: "List the webhooks that an article was sent to",
  },
  "GET /labels": { id: "listLabels", tag: "Articles", summary: "List categories and tags" },
  "GET /assets": { id: "listPictures", tag: "Pictures", summary: "List pictures" },
  "POST /assets": {
    id: "addPicture",
    tag: "Pictures",
    summary: "Add a picture",
    description: "The body is the file. Its `url` is for texts and `featured_image_url`.",
  },
  "PATCH /assets/:id": { id: "changePicture", tag: "Pictures", summary: "Change the alternative text of a picture" },
  "GET /me": { id: "getMe", tag: "Access", summary: "Get what the token is and may" },
};

interface Route {
  /** The key in OPERATIONS. */
  name: string;
  method: string;
  path: string;
  schema: FastifySchema;
  config: NonNullable<RouteOptions["config"]>;
}

/** Collects the routes that the service registers. */
async function collectRoutes(): Promise<Route[]> {
  const app = fastify();
  const routes: Route[] = [];
  app.decorateRequest("signedIn", null);
  app.decorateRequest("triedOn", null);
  app.addHook("onRoute", ({ method, url, schema = {}, config = {} }) => {
    // The description does not describe itself.
    if (typeof method === "string" && method !== "HEAD" && config.access !== "anyone") {
      routes.push({ name: `${method} ${url}`, method: method.toLowerCase(), path: url, schema, config });
    }
  });
  // Registering routes calls none of the dependencies.
  const admin = { deps: {} } as Admin;
  await app.register(async (scope) => managementRoutes(scope, admin, {} as AdminOptions));
  await app.ready();
  return routes;
}

/** The document that is served at /api/management/openapi.json. */
export async function buildManagementOpenApi(): Promise<object> {
  const paths: Record<string, Json> = {};
  const schemas = new Schemas();
  const routes = await collectRoutes();
  const order = Object.keys(OPERATIONS);
  for (const route of routes.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))) {
    const path = `/api/management${route.path.replaceAll(/:(\w+)/g, "{$1}")}`;
    (paths[path] ??= {})[route.method] = describe(route, schemas);
  }
  const unused = order.filter((name) => !routes.some((route) => route.name === name));
  if (unused.length > 0) throw new Error(`no route is ${unused.join(", ")}`);
  const components = {
    securitySchemes: {
      AccessToken: { type: "http", scheme: "bearer", description: "An access token of your website, such as `rm_…`." },
    },
    schemas: {} as Json,
    parameters: PARAMETERS,
    headers: HEADERS,
    responses: Object.fromEntries(
      Object.entries(REFUSALS).map(([status, [name, refused]]) => [name, refusalOf(status, refused)]),
    ),
  };
  schemas.named.set("Error", ERROR);
  components.schemas = Object.fromEntries([...schemas.named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: "3.1.1",
    info: {
      title: "Rostrum management API",
      version: "v1",
      description: INTRODUCTION,
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that this description comes from." }],
    security: [{ AccessToken: [] }],
    tags: TAGS,
    paths,
    components,
  };
}

const text = (description: string, extra: Json = {}) => ({ description, schema: { type: "string", ...extra } });

const HEADERS: Json = {
  "X-Request-Id": text("Names the request in the operator's log."),
  ETag: text('The article\'s `etag`, in quotes: `"12-0"`.'),
  "Idempotency-Replayed": text("`true`: the request was made before, and changed nothing now."),
  "WWW-Authenticate": text("`Bearer`."),
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
};

const PARAMETERS: Json = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: true,
    description: "The `etag` of the article that you saw, or `*` for any.",
    schema: { type: "string" },
    example: '"12-0"',
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Your own name of this request: repeated within 24 hours, it changes nothing again.",
    schema: { type: "string", minLength: 1, maxLength: 200 },
    example: "0b3c6f5e-7a1d-4f1c-9a0e-2d8b1f6c4e57",
  },
};

const ERROR: Json = {
  type: "object",
  required: ["error", "message", "code"],
  additionalProperties: false,
  description: "The body of every refusal.",
  properties: {
    error: { type: "string", description: "The status in words." },
    message: { type: "string", description: "What to do about it." },
    code: { type: "string", description: "The kind of refusal, for programs." },
    param: { type: "string", description: "The field, parameter or header at fault." },
    state: { type: "string", description: "With 409: the article's state." },
    allowed: { type: "array", items: { type: "string" }, description: "With 409: what the token may do with it now." },
    findings: {
      type: "array",
      items: { $ref: "#/components/schemas/Finding" },
      description: "With `code` `integrity`: what holds the text, as in `quality_metrics.integrity.findings`.",
    },
    etag: { type: ["string", "null"], description: "With 412: the article's etag." },
    changed_by: { type: ["string", "null"], description: "With 412: who has changed it; `null`: unknown." },
    changed_at: {
      type: ["string", "null"],
      format: "date-time",
      description: "With 412: when it was changed; `null`: unknown.",
    },
    details: { type: "string", description: "With 500: the request's id, for the operator." },
  },
};

const REFUSALS: Readonly<Record<string, [name: string, description: string]>> = {
  400: ["BadRequest", "A field, parameter or header is malformed or unknown; `param` names it."],
  401: ["Unauthorized", "There is no access token, or it is unknown, revoked or expired."],
  403: ["Forbidden", "The token's scope is too low, or another website was named."],
  404: ["NotFound", "The website has no such article."],
  409: [
    "Conflict",
    "The article's state forbids it: `state` and `allowed` say what is possible; or it exists already; or its text is held by what was found in it (`code`: `integrity`).",
  ],
  412: ["Stale", "Somebody has changed the article since the version in `If-Match`."],
  413: ["TooLarge", "The body is too large."],
  415: ["UnsupportedMediaType", "The body has another type than this request takes."],
  422: [
    "Unprocessable",
    "Text would be lost, the text takes too much to process, or the idempotency key was used for another request.",
  ],
  428: ["PreconditionRequired", "The header `If-Match` is missing."],
  429: ["TooManyRequests", "Wait as long as `Retry-After` says."],
  500: ["InternalError", "The service failed. Report the request's id to its operator."],
  503: ["Unavailable", "The service cannot answer at the moment. Try again when `Retry-After` has passed."],
};

function refusalOf(status: string, description: string): Json {
  const more =
    { 401: ["WWW-Authenticate"], 409: ["Retry-After"], 429: ["Retry-After"], 503: ["Retry-After"] }[status] ?? [];
  return {
    description,
    headers: headers("X-Request-Id", ...more),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function headers(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function describe({ name, method, schema, config }: Route, schemas: Schemas): Json {
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`${name} has no words in OPERATIONS`);
  const body = schema.body as Json | undefined;
  const properties = (part: unknown) => ((part as Json | undefined)?.["properties"] ?? {}) as Json;
  const isVersioned =
    config.takesEtag === true || "version" in properties(body) || "draft_saved_at" in properties(schema.querystring);
  const takesKey = (method === "post" || method === "patch") && config.isRepeatable !== true && config.takes !== "file";
  const answers = (schema.response ?? { 200: {} }) as Record<string, Json>;
  const isArticle = Object.values(answers).some((answer) => "article" in properties(answer));
  const responseHeaders = headers(
    "X-Request-Id",
    ...(isArticle ? ["ETag"] : []),
    ...(takesKey ? ["Idempotency-Replayed"] : []),
    ...(name === "GET /feedback" ? ["Retry-After"] : []),
  );
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, scopeOf(config)].filter((part) => part !== undefined).join("\n\n"),
    parameters: [
      ...parameters("path", schema.params, schemas),
      ...parameters("query", schema.querystring, schemas),
      ...(isVersioned ? [{ $ref: "#/components/parameters/IfMatch" }] : []),
      ...(takesKey ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...bodyOf(name, body, schemas),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          {
            description: ANSWERS[status] ?? "Done.",
            headers: responseHeaders,
            content: contentOf(name, answer, schemas),
          },
        ]),
      ),
      ...Object.fromEntries(
        refusalsOf({
          isVersioned,
          takesKey,
          name,
          method,
          hasBody: body !== undefined || config.takes === "file",
        }).map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status]?.[0]}` }]),
      ),
    },
  };
}

const ANSWERS: Readonly<Record<string, string>> = { 200: "Done.", 201: "Created." };

function refusalsOf(route: {
  isVersioned: boolean;
  takesKey: boolean;
  hasBody: boolean;
  name: string;
  method: string;
}): string[] {
  const { isVersioned, takesKey, hasBody, name, method } = route;
  const changes = method !== "get";
  return [
    "400",
    "401",
    "403",
    ...(name.includes("/:") ? ["404"] : []),
    ...(changes ? ["409"] : []),
    ...(isVersioned ? ["412", "428"] : []),
    ...(hasBody ? ["413", "415"] : []),
    ...(takesKey || name.startsWith("PUT") || name.endsWith("/check") ? ["422"] : []),
    "429",
    "500",
    "503",
  ].toSorted();
}

/** Says in a sentence which scope the route needs. */
function scopeOf({ access }: Route["config"]): string | undefined {
  if (typeof access !== "object" || !("may" in access)) return undefined;
  const scope = TOKEN_SCOPES.find((one) => can(ROLE_OF_SCOPE[one], access.may));
  return `Scope: \`${scope}\`.`;
}

const NDJSON = "application/x-ndjson";
const FILE = { schema: { type: "string", format: "binary" } };

function bodyOf(name: string, body: Json | undefined, schemas: Schemas): Json {
  if (name === "POST /articles/batch") {
    const properties = { ...(broughtArticle.properties as Json), external_id: EXTERNAL_ID };
    const required = ["external_id"];
    const line = { ...broughtArticle, title: "BatchArticle", description: "One line.", properties, required };
    return {
      requestBody: { required: true, content: { [NDJSON]: { schema: schemas.describe(line) }, [ARCHIVE]: FILE } },
    };
  }
  if (name === "POST /assets") {
    const file = { "application/octet-stream": FILE };
    return { requestBody: { required: true, content: file } };
  }
  if (body === undefined) return {};
  const described = schemas.describe(body, OPERATIONS[name]?.id);
  const isNeeded = ((body["required"] ?? []) as string[]).some((field) => !HIDDEN.has(field));
  const types =
    name === "PATCH /articles/:id" ? ["application/json", "application/merge-patch+json"] : ["application/json"];
  const content = Object.fromEntries(types.map((type) => [type, { schema: described }]));
  return { requestBody: { required: isNeeded, content } };
}

const EXTERNAL_ID = { type: "string", minLength: 1, maxLength: 200, description: "Your own id of the article." };

function contentOf(name: string, answer: Json, schemas: Schemas): Json {
  if (name === "POST /articles/batch") {
    const end = { ...SUMMARY, title: "BatchSummary" };
    return {
      [NDJSON]: {
        schema: {
          oneOf: [
            ...[batchLine, pushItem, pushRemoval].map((one) => one as object as Json),
            PROGRESS,
            end,
            FAILURE,
          ].map((one) => schemas.describe(one)),
        },
      },
    };
  }
  if (name === "GET /exports") {
    const file = { schema: { type: "string" } };
    return { [NDJSON]: file, "application/xml": file, "application/json": file };
  }
  return { "application/json": { schema: schemas.describe(answer, `${capital(OPERATIONS[name]?.id ?? "")}Answer`) } };
}

const kind = (name: string) => ({ type: "string", const: name });
const number = { type: "integer", minimum: 0 };
const object = (title: string, properties: Json, description: string) => ({
  type: "object",
  title,
  description,
  required: Object.keys(properties),
  properties,
});
const counts = { created: number, updated: number, held: number, unchanged: number, failed: number, skipped: number };
const SUMMARY = object("BatchSummary", { kind: kind("summary"), ...counts }, "The last line: how many of each.");
const PROGRESS = object(
  "BatchProgress",
  { kind: kind("progress"), done: number, part: { type: "number" } },
  "How much is done; `part` is a fraction of the request.",
);
const FAILURE = object(
  "BatchFailure",
  { kind: kind("error"), message: { type: "string" } },
  "The last line, if it ended early; what the lines before it report is saved.",
);

/** Fields that the token or `If-Match` says. */
const HIDDEN: ReadonlySet<string> = new Set(["website_id", "version", "draft_saved_at"]);
const BOOLEAN = JSON.stringify(["true", "false"]);

/** Parameters have their types in the description, although the validator gets texts. */
function parameters(place: "path" | "query", schema: unknown, schemas: Schemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, property]) => {
      const { description, ...rest } = schemas.describe(property) as Json & { description?: string };
      const isFlag = JSON.stringify(rest["enum"]) === BOOLEAN;
      const typed = name === "limit" ? LIMIT : name === "offset" ? number : isFlag ? { type: "boolean" } : rest;
      return {
        name,
        in: place,
        required: place === "path" || required.includes(name),
        description: description ?? PATH_WORDS[name] ?? "",
        schema: typed,
      };
    });
}

const LIMIT = { type: "integer", minimum: 1, maximum: 100 };
const PATH_WORDS: Readonly<Record<string, string>> = {
  id: "The article's or the picture's `id`.",
  comment: "The `id` of the comment's thread.",
  revision: "The revision's `id`.",
  cursor: "The `next_cursor` or `next` of the page before.",
  alt: "Alternative text.",
};

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Makes components of schemas with a title, and leaves out what headers say. */
class Schemas {
  readonly named = new Map<string, unknown>();

  /** `title`: for a schema that has none. */
  describe(schema: unknown, title?: string): unknown {
    if (Array.isArray(schema)) return schema.map((one: unknown) => this.describe(one));
    if (typeof schema !== "object" || schema === null) return schema;
    const { title: own, ...rest } = schema as Json;
    const name = typeof own === "string" ? own : title && capital(title);
    const copy = this.#copy(rest);
    if (name === undefined) return copy;
    const known = this.named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy)) throw new Error(`there are two ${name}`);
    this.named.set(name, copy);
    return { $ref: `#/components/schemas/${name}` };
  }

  #copy(schema: Json): Json {
    const copy: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === "properties") {
        const shown = Object.entries(value as Json).filter(([name]) => !this.#isHidden(schema, name));
        copy[key] = Object.fromEntries(shown.map(([name, property]) => [name, this.describe(property)]));
      } else if (key === "required") {
        const left = (value as string[]).filter((name) => !this.#isHidden(schema, name));
        if (left.length > 0) copy[key] = left;
      } else copy[key] = key === "enum" || key === "const" ? value : this.describe(value);
    }
    return copy;
  }

  /** Hides fields of requests only, whose schemas are strict. */
  #isHidden(schema: Json, name: string): boolean {
    return schema["additionalProperties"] === false && HIDDEN.has(name);
  }
}
