import { Type } from "typebox";

const text = Type.String();

const header = (description: string, example: string | number, schema: Type.TSchema = text) => ({
  description,
  schema,
  example,
});

export const HEADERS = {
  "X-Request-Id": header("Names this request; the service's log has it under this id.", "tea-1-9f3c2a-k7"),
  "Content-Version": header("The version of the API.", "v1"),
  ETag: header(
    "Changes when there may be something new. Send it back as If-None-Match. Absent with `debug=true`.",
    'W/"vibs5L9E.17"',
  ),
  "Cache-Control": header(
    "May be kept, but not used without asking: a 304 is cheap. `no-store` with `debug=true`.",
    "private, no-cache",
  ),
  "RateLimit-Policy": header("At most `q` requests in `w` seconds. Absent where no limit is set.", '"key";q=100;w=2'),
  RateLimit: header("`r` requests are left; in `t` seconds there are `q` again.", '"key";r=99;t=1'),
  "Retry-After": header("Seconds to wait.", 1, Type.Integer({ minimum: 1 })),
  "X-Error-Code": header("The stable name of this refusal; the sentences may be reworded.", "article_not_found"),
  Link: header(
    "The addresses of the next and the previous page. Absent where there is none.",
    '</api/public/articles?limit=3&offset=6>; rel="next", </api/public/articles?limit=3&offset=0>; rel="prev"',
  ),
  "X-Rostrum-Warnings": header(
    "What was ignored or lowered, as a list of strings (RFC 9651). Absent where nothing was.",
    '"Unknown parameter ignored: categories; did you mean category?"',
  ),
  "WWW-Authenticate": header("How to authenticate.", 'ApiKey realm="Rostrum", header="X-API-Key"'),
  Allow: header("The methods there are.", "GET, HEAD"),
};

export type HeaderName = keyof typeof HEADERS;

export function headers(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** On every response of the read API. */
export const ALWAYS = ["X-Request-Id", "Content-Version", "Cache-Control"] as const satisfies HeaderName[];
/** On every response to an accepted key. */
export const OF_KEY = [...ALWAYS, "RateLimit-Policy", "RateLimit"] as const satisfies HeaderName[];
