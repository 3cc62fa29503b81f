/** A clone of this checkout's commit, with its packages: tags and commits stay in the clone. */
import { execFile } from "node:child_process";
import { appendFileSync, symlinkSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, ROOT } from "../../tools/release-files.ts";

export interface Clone extends AsyncDisposable {
  /** Holds the clone, in a folder named `rostrum`. */
  folder: string;
  path: string;
  git(...args: string[]): string;
  release(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
}

/** @param env is added to the environment of its releases. */
export async function cloneCheckout(env: Record<string, string> = {}): Promise<Clone> {
  // On the disk of the packages, where that is the disk of temporary files: a build links them.
  const folder = await mkdtempDisposable(join(tmpdir(), "rostrum-release-"));
  const path = join(folder.path, "rostrum");
  git(ROOT, "clone", "--quiet", "--shared", "--no-tags", ROOT, path);
  git(path, "config", "user.name", "Tester");
  git(path, "config", "user.email", "tester@example.com");
  git(path, "checkout", "--quiet", "-B", "main", git(ROOT, "rev-parse", "HEAD"));
  git(path, "remote", "set-url", "origin", "git@forge.example:someone/rostrum.git");
  // A link is no folder for .gitignore.
  appendFileSync(join(path, ".git", "info", "exclude"), "node_modules\n");
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return {
    folder: folder.path,
    path,
    git: (...args) => git(path, ...args),
    release: (...args) =>
      new Promise((resolve) => {
        const options = { cwd: path, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 ** 2 };
        execFile(process.execPath, ["tools/release.ts", ...args], options, (error, stdout, stderr) => {
          resolve({ code: Number(error?.code ?? 0), stdout, stderr });
        });
      }),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}
