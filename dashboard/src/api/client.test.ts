import { afterEach, expect, test, vi } from "vitest";
import { buildUrl, ApiError, apiPath, get, post } from "./client.ts";

afterEach(() => vi.unstubAllGlobals());

/** Mocks the network's response. @returns the requests. */
function answerWith(body: string | null, init: ResponseInit = {}): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", (input: string, request: RequestInit) => {
    asked.push(new Request(input, request));
    return Promise.resolve(new Response(body, init));
  });
  return asked;
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error("it did not fail by an ApiError");
  return error;
}

/** Does what public/first.js does. */
function askFirst(): void {
  const response = Promise.resolve(new Response('{"from":"first.js"}'));
  vi.stubGlobal("rostrumFirst", { url: "/dashboard/api/session", response });
}

test("parts of a path are parts, whatever they are made of", () => {
  expect(apiPath`/articles/${"../keys?x=1"}/approve`).toBe("/articles/..%2Fkeys%3Fx%3D1/approve");
  expect(buildUrl("/articles", { q: "a&b", view: undefined, limit: 5 })).toBe(
    "/dashboard/api/articles?q=a%26b&limit=5",
  );
});

test("what changes something is sent as JSON, even when there is nothing to say", async () => {
  const asked = answerWith(null, { status: 204 });
  expect(await post("/articles/1/approve")).toBe(undefined);
  const [request] = asked;
  expect([request?.method, request?.headers.get("Content-Type"), await request?.text()]).toEqual([
    "POST",
    "application/json",
    "{}",
  ]);
});

test("the response to the page's first request is used once, and not after a change", async () => {
  answerWith('{"from":"the network"}');
  askFirst();
  expect(await get("/session")).toEqual({ from: "first.js" });
  expect(await get("/session")).toEqual({ from: "the network" });
  askFirst();
  await post("/welcome");
  expect(await get("/session")).toEqual({ from: "the network" });
});

test("a refusal has the service's sentence and names the field", async () => {
  answerWith('{"error":"Bad Request","message":"Too long.","param":"name"}', { status: 400 });
  const error = await failure(post("/members"));
  expect([error.status, error.message, error.param]).toEqual([400, "Too long.", "name"]);
});

test("a failure of the service names the request, for its log", async () => {
  answerWith('{"error":"Internal Server Error","details":"unexpected error; request 01a2"}', { status: 500 });
  const error = await failure(get("/articles"));
  expect(error.requestId).toBe("01a2");
  expect(error.message).toMatch(/request 01a2/);
});

test("an answer from a proxy becomes a sentence, too", async () => {
  answerWith("<html>Bad gateway</html>", { status: 502 });
  expect((await failure(get("/articles"))).message).toBe("The service failed (status 502). Try again.");
  answerWith("slow down", { status: 429, headers: { "Retry-After": "7" } });
  expect((await failure(get("/articles"))).message).toMatch(/Wait 7 seconds/);
});

test("no answer at all, or half of one, is status 0", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  expect((await failure(get("/articles"))).status).toBe(0);
  answerWith('{"articles": [');
  expect((await failure(get("/articles"))).status).toBe(0);
});

test("what was called off is no failure to tell anybody of", async () => {
  const reason = new DOMException("called off", "AbortError");
  vi.stubGlobal("fetch", () => Promise.reject(reason));
  const error: unknown = await get("/articles", { signal: AbortSignal.abort(reason) }).catch((e: unknown) => e);
  expect(error).toBe(reason);
});
