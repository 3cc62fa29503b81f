/** The parts of Next.js 15 and 16 that are used here. Only the site itself installs Next.js. */

declare module "next/cache" {
  export function revalidateTag(tag: string, profile: string | { expire?: number }): void;
  export function unstable_cache<T>(
    read: () => Promise<T>,
    key: string[],
    options: { tags: string[] },
  ): () => Promise<T>;
}

declare module "next/headers" {
  interface CookieStore {
    get(name: string): { value: string } | undefined;
    set(name: string, value: string, options: object): void;
    delete(name: string): void;
  }
  export function cookies(): Promise<CookieStore>;
  export function draftMode(): Promise<{ isEnabled: boolean; enable(): void; disable(): void }>;
}

declare module "next/dist/server/app-render/work-async-storage.external.js" {
  interface IncrementalCache {
    revalidateTag?(tags: string[], durations: { expire?: number }): Promise<void>;
  }
  export const workAsyncStorage: { getStore(): { incrementalCache?: IncrementalCache } | undefined };
}

declare module "next/server" {
  export function after(task: () => Promise<void>): void;
}

/** Next.js's addition to the options of `fetch`. */
interface RequestInit {
  next?: { tags?: string[]; revalidate?: number | false };
}

declare module "next/navigation" {
  export function notFound(): never;
  export function permanentRedirect(path: string): never;
}

declare module "react" {
  export const Fragment: unique symbol;
  export function cache<Parameters extends unknown[], Result>(
    read: (...parameters: Parameters) => Result,
  ): (...parameters: Parameters) => Result;
  export function createElement(type: unknown, properties: object | null, ...children: unknown[]): object;
}
