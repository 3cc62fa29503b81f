/** Calls of the dashboard's API by its owner, and of the management API with an access token: bodies and queries as their schemas say, now and then spoiled. */
import fc from "fast-check";
import { Compile } from "typebox/schema";
import assert from "node:assert/strict";
import { type Json, record } from "../helpers/http.ts";
import { assertSilent, assertSound } from "./oracles.ts";
import { encodeText, fromSchema, nastyText } from "./values.ts";
import { DEAD_END, type Route, type World } from "./world.ts";

interface AdminCall {
  method: string;
  /** With its parameters. */
  path: string;
  /** One for each parameter. */
  ids: string[];
  query: Json | null;
  body: unknown;
  /** Puts the present version into the body, so that the call is not refused for that. */
  isFresh: boolean;
}

/** They end the session, never end, or take a file, which the content's target sends. */
const LEFT_OUT = new Set(["DELETE /session", "DELETE /sessions/:id", "GET /live", "POST /imports"]);

export function adminCalls(world: World): fc.Arbitrary<AdminCall[]> {
  const routes = world.routes.filter(({ method, path }) => method !== "HEAD" && !LEFT_OUT.has(`${method} ${path}`));
  return fc.array(
    fc.constantFrom(...routes).chain((route) => callOf(route, world)),
    { minLength: 1, maxLength: 5 },
  );
}

function callOf(route: Route, world: World): fc.Arbitrary<AdminCall> {
  const known = (name: string): readonly string[] => {
    if (name === "website_id") return [world.websiteId];
    if (name === "id" || name === "articles") return world.articleIds;
    if (name === "url") return [DEAD_END];
    if (name === "q") return ["article"];
    if (name === "source" || name === "held_at") return world.held.map((one) => String(one[name]));
    if (name === "from" || name === "to") return ["current", "draft", ...world.held.map(({ side }) => String(side))];
    if (name === "email") return ["editor@example.com", "owner@example.com"];
    return [];
  };
  const own = route.path.startsWith("/webhooks/")
    ? [world.endpointId]
    : route.path.startsWith("/websites/")
      ? [world.websiteId]
      : world.articleIds;
  const id = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...own) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: nastyText },
  );
  const query = route.query === null ? fc.constant(null) : fromSchema(route.query, known);
  return fc.record({
    method: fc.constant(route.method),
    path: fc.constant(route.path),
    ids: fc.array(id, { minLength: 2, maxLength: 2 }),
    query: query.map((one) => (typeof one === "object" && one !== null && !Array.isArray(one) ? (one as Json) : null)),
    body: route.body === null ? fc.constant(undefined) : fromSchema(route.body, known),
    isFresh: fc.boolean(),
  });
}

export async function tryAdmin(world: World, calls: readonly AdminCall[]): Promise<void> {
  for (const call of calls) {
    const path = addressOf(call);
    const reply = await world.ask(call.method, path, await bodyOf(world, call));
    const what = `${call.method} ${path.slice(0, 200)}`;
    assertSound(reply, what);
    assertSilent(reply.text, world.secrets, what);
    const { answer } = world.routes.find((one) => one.method === call.method && one.path === call.path) ?? {};
    if (reply.status === 200 && answer != null) {
      const [isValid, errors] = Compile(answer).Errors(reply.json());
      assert.ok(isValid, `${what}: ${JSON.stringify(errors.slice(0, 3))}`);
    }
  }
}

function addressOf({ path, ids, query }: AdminCall): string {
  let next = 0;
  const filled = path.replaceAll(/:\w+/g, () => encodeText(ids[next++] ?? ""));
  const pairs = Object.entries(query ?? {}).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${encodeText(name)}=${encodeText(text ?? "")}`;
  });
  return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`;
}

async function bodyOf(world: World, { path, ids, body, isFresh }: AdminCall): Promise<unknown> {
  if (
    !isFresh ||
    !path.includes("/articles/:id") ||
    typeof body !== "object" ||
    body === null ||
    !("version" in body)
  ) {
    return body;
  }
  const reply = await world.ask("GET", `/articles/${encodeText(ids[0] ?? "")}`);
  if (reply.status !== 200) return body;
  return { ...body, version: record(record(reply.json())["line"])["version"] };
}
