/** The part of `wordpress-api-client` that the tests use: its own types need a compiler that is less strict. */
import { createRequire } from "node:module";
import type { Json } from "../helpers/http.ts";

interface Endpoint {
  create: (body: Json) => Promise<Json>;
  update: (body: Json, id: number) => Promise<Json>;
  find: (query: URLSearchParams | number, ...ids: number[]) => Promise<Json[]>;
  delete: (...ids: number[]) => Promise<Json[]>;
}

export interface WordPressClient {
  user: () => { findMe: () => Promise<Json> };
  post: () => Endpoint;
  postCategory: () => Endpoint;
  postTag: () => Endpoint;
  media: () => Omit<Endpoint, "create"> & {
    create: (fileName: string, file: Buffer, mimeType: string, data?: Json) => Promise<Json>;
  };
}

interface Options {
  auth: { type: "basic"; username: string; password: string };
  onError: (message: string) => Promise<void>;
}

interface Package {
  default: new (baseUrl: string, options: Options) => WordPressClient;
}

const require = createRequire(import.meta.url);
const { default: WpApiClient } = require("wordpress-api-client") as Package;

/** @param site with a slash at the end. */
export function wordPressClient(site: string, password: string): WordPressClient {
  const auth = { type: "basic", username: "admin", password } as const;
  return new WpApiClient(site, { auth, onError: () => Promise.resolve() });
}
