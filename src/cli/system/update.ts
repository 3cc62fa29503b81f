import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { isSea } from "node:sea";
import { AppError, getErrorCode } from "../../domain/system/errors.ts";
import { ROOT, VERSION } from "../../process/installed-package.ts";
import { type Command, type Io, parseOptions, quoteWord, UsageError } from "../command.ts";

const PACKAGE = "rostrum";
const VERSION_NUMBER = /^\d+\.\d+\.\d+$/;
const TIMEOUT_MS = 30_000;
const NPM_OPTIONS = ["--json", "--prefer-online", "--no-workspaces", "--fetch-retries=0", "--fetch-timeout=10000"];

interface Release {
  version: string;
  /** Where the repository is shown; null if the package does not say. */
  repository: string | null;
}

type Installation = "checkout" | "executable" | "npx" | "npm-global" | "npm" | "image";

export const update: Command = {
  summary: "say whether there is a newer version, and what to run",
  help: `Usage: rostrum update --check [--json]

Asks npm for the newest version, and says where its changes are listed and what to run for this kind of installation. It changes
nothing, and Rostrum never asks by itself.

  --json  print {version, newest, is_newer, installation, changes, steps}`,
  async run(args, io) {
    const { values } = parseOptions(args, { check: { type: "boolean" }, json: { type: "boolean" } });
    if (values.check !== true) throw new UsageError("--check is missing: Rostrum does not replace its own files.");
    const { version: newest, repository } = await findNewest(io);
    const installation = findInstallation();
    const isNewer = isLater(newest, VERSION);
    const releases = repository === null ? null : `${repository}/releases/tag/v${newest}`;
    const steps = isNewer ? describeSteps(installation, newest, releases) : [];
    if (values.json) {
      const result = { version: VERSION, newest, is_newer: isNewer, installation, changes: releases, steps };
      io.out(`${JSON.stringify(result)}\n`);
    } else if (isNewer) {
      io.out(
        `This is ${VERSION}, and the newest version is ${newest}.\n` +
          (releases === null ? "" : `What changed: ${releases}\n`) +
          `Take a backup and stop the service, then:\n\n${steps.map((step) => `  ${step}\n`).join("")}\n` +
          `How to go on serving meanwhile: "Upgrades" in ${join(ROOT, "docs", "operate.md")}\n`,
      );
    } else {
      io.out(`This is ${VERSION}, and npm has no newer version.\n`);
    }
  },
};

/** @throws AppError `not_found` if nothing is published; `service_unavailable` if npm cannot be asked. */
async function findNewest({ environment }: Pick<Io, "environment">): Promise<Release> {
  // With less than three fields npm may print a value without its name.
  const args = ["view", `${PACKAGE}@latest`, "name", "version", "repository", ...NPM_OPTIONS];
  // Elsewhere a stranger's .npmrc would say whom npm asks; on Windows a shell would even run an npm that lies there.
  const options = { cwd: ROOT, env: environment, timeout: TIMEOUT_MS, shell: process.platform === "win32" };
  const { stdout, failure } = await new Promise<{ stdout: string; failure: Error | null }>((resolve) => {
    execFile("npm", args, options, (error, output) => resolve({ stdout: output, failure: error }));
  });
  const { version, repository, error } = parseAnswer(stdout);
  if (failure === null && typeof version === "string" && VERSION_NUMBER.test(version)) {
    return { version, repository: toAddress(repository?.url) };
  }
  if (error?.code === "E404") {
    throw new AppError("not_found", `npm knows no package "${PACKAGE}": nothing has been published where npm looks.`);
  }
  const isMissing = getErrorCode(failure) === "ENOENT";
  throw new AppError(
    "service_unavailable",
    isMissing
      ? "npm, which knows the newest version, is not installed here."
      : "npm could not say which version is the newest: check the network, and npm's settings.",
    { cause: isMissing ? undefined : new Error(error?.summary ?? error?.code ?? "npm gave no answer") },
  );
}

interface Answer {
  version?: unknown;
  repository?: { url?: string };
  error?: { code?: string; summary?: string };
}

function parseAnswer(text: string): Answer {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

/** `git+https://example.com/a/b.git` → `https://example.com/a/b`; null for anything else. */
function toAddress(url: string | undefined): string | null {
  return /^(?:git\+)?(https:\/\/[\w./-]+?)(?:\.git)?$/.exec(url ?? "")?.[1] ?? null;
}

function findInstallation(): Installation {
  if (isSea()) return "executable";
  if (existsSync(join(ROOT, "src"))) return "checkout";
  const packages = dirname(ROOT);
  // The image has the package in a folder of its own.
  if (basename(packages) !== "node_modules") return "image";
  if (packages.includes(`${sep}_npx${sep}`)) return "npx";
  return existsSync(join(dirname(packages), "package.json")) ? "npm" : "npm-global";
}

function describeSteps(installation: Installation, version: string, releases: string | null): string[] {
  const name = `${PACKAGE}@${version}`;
  const executable = `${PACKAGE}-${version}-${process.platform}-${process.arch}`;
  const from = releases === null ? "" : ` from ${releases}`;
  return {
    checkout: [`cd ${quoteWord(ROOT)}`, "git fetch --tags", `git switch --detach v${version}`, "npm ci"],
    executable: [
      `download ${executable} and SHA256SUMS${from}`,
      `check it, and put it in the place of ${process.execPath}`,
    ],
    image: [`start a container from the image of version ${version}, with the same settings and volume`],
    npx: [`npx ${name}`],
    npm: [`npm install --save-exact --prefix ${quoteWord(dirname(dirname(ROOT)))} ${name}`],
    "npm-global": [`npm install --global ${name}`],
  }[installation];
}

/** @param one as 1.2.3, like the other. */
export function isLater(one: string, other: string): boolean {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return at >= 0 && (left?.[at] ?? 0) > (right?.[at] ?? 0);
}
