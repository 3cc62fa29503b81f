/** Runs files with tests one after the other in this process. tools/test.ts starts such processes by node:test's runner. */
import asyncHooks, { type AsyncHook } from "node:async_hooks";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface FileOptions {
  /** A folder for the names of files that a process has begun, which others then leave out; null: runs all of them. */
  claims: string | null;
  maxFiles: number;
  /** Whether an error that nobody catches fails the test that caused it; otherwise it fails the whole process. */
  attributesErrors: boolean;
  /** Keeps one browser for all files. */
  keepsBrowser: boolean;
}

/** Each file is a suite, so that its hooks are for its own tests only. */
export async function runFiles(
  files: readonly string[],
  { claims, maxFiles, attributesErrors, keepsBrowser }: FileOptions,
): Promise<void> {
  await using _browser = keepsBrowser ? await (await import("../test/helpers/chromium.ts")).shareChromium() : null;
  const hooks = attributesErrors ? [] : keepHooks();
  const { suite } = await import("node:test");
  let left = maxFiles;
  for (const file of files) {
    if (left === 0) return;
    if (claims !== null && !claim(join(claims, encodeURIComponent(file)))) continue;
    left--;
    for (const hook of hooks) hook.enable();
    await suite(file, async () => {
      await import(pathToFileURL(resolve(file)).href);
      for (const hook of hooks) hook.disable();
    });
  }
}

/**
 * node:test follows every promise in order to know which test a call of `test` or `after` belongs to, and an error that nobody
 * catches. The calls are made while a file is loaded; without the hooks, its tests then take an eighth less CPU time.
 */
function keepHooks(): AsyncHook[] {
  const kept: AsyncHook[] = [];
  const { createHook } = asyncHooks;
  Object.assign(asyncHooks, {
    createHook: (...given: Parameters<typeof createHook>) => {
      const hook = createHook(...given);
      kept.push(hook);
      return hook;
    },
  });
  return kept;
}

function claim(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}
