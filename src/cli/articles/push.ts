import { createWriteStream, openAsBlob } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  createManagementClient,
  type FileComparison,
  type Management,
  ManagementError,
  type PushItem,
  type PushRemoval,
} from "../../../client/src/management/index.ts";
import { temporaryPrefix } from "../../domain/system/temporary-names.ts";
import { archivedBytes, type PushManifest, writePush } from "../../operations/articles/import/push-archive.ts";
import { type Command, type Io, parseOptions, required, UsageError } from "../command.ts";
import { readTextFile } from "../files.ts";
import { printableLine } from "../output.ts";
import {
  findNamed,
  findSections,
  type FolderFile,
  hashFiles,
  type PushedFolder,
  readChanges,
  readFolder,
  toFileHash,
} from "./pushed-folder.ts";

/** Largest archive that is sent; the service takes up to 200 MB. */
const ARCHIVE_BYTES = 50_000_000;
/** A job in CI can wait for another one. */
const GIVE_UP_AFTER_MS = 300_000;
const MAX_ATTEMPTS = 3;
/** More files than this are not removed if they are more than half of all: it is probably the wrong folder. */
const MAX_UNDOUBTED = 10;

export const push: Command = {
  summary: "send a repository's articles to a service",
  help: `Usage: rostrum push DIR --url URL --token-file FILE [--changed-since REF] [--dry-run]

Sends the articles in DIR as they are, with their paths, for review: what "rostrum import DIR" imports, and the same
articles. First it lists the hashes of the files; then it sends those that are new or changed, with the pictures that they name,
the texts that they link to, and the configuration of their site, also from the folders above up to that of the repository.
What people changed in the service, too, is held until somebody decides in the dashboard. For the articles of deleted files it
asks people to delete them, and renamed files stay the same articles. Nothing is published.

Articles that failed or are held are written to standard output, as Markdown for a comment, and the exit code is 1.

  --url            where the service is, e.g. https://articles.example.com
  --token-file     a file with an access token of scope draft, or - for standard input: one for each repository
  --changed-since  only look at files that git says have changed since this revision
  --dry-run        say what would be done, and save nothing`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        url: { type: "string" },
        "token-file": { type: "string" },
        "changed-since": { type: "string" },
        "dry-run": { type: "boolean" },
      },
      ["DIR"],
    );
    const url = required(values.url, "url");
    const token = (await readTextFile(required(values["token-file"], "token-file"), io)).trim();
    const client = connect(url, token, io);
    const root = resolve(io.directory, String(positionals[0]));
    const stop = new AbortController();
    void io.whenStopped().then(() => stop.abort(new ManagementError(0, "It was stopped.")));
    const run = {
      client,
      root,
      since: values["changed-since"],
      dryRun: values["dry-run"] === true,
      signal: stop.signal,
    };
    try {
      return report(io, url, await pushFolder(run), run.dryRun);
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      io.err(`${error.message}\n`);
      return error.status === 0 || error.status >= 500 ? 69 : 1;
    }
  },
};

interface Run {
  client: Management;
  root: string;
  since: string | undefined;
  dryRun: boolean;
  signal: AbortSignal;
}

interface Differences {
  hashes: ReadonlyMap<string, string>;
  comparison: FileComparison;
  /** As git says. */
  renames: PushManifest["moved"];
}

interface Pushed {
  /** By their paths. */
  items: Map<string, PushItem>;
  removals: Map<string, PushRemoval>;
  /** Number of files whose hashes the service knew at first; null: it has not been asked yet. */
  known: number | null;
  /** Files that are gone, and so many that nobody was asked to delete their articles. */
  doubtful: number;
  files: number;
  bytes: number;
}

function connect(url: string, token: string, io: Pick<Io, "err">): Management {
  const said = new Set<string>();
  const onRetry = ({ message }: ManagementError) => {
    if (said.has(message)) return;
    said.add(message);
    io.err(`${message.replace(/\.$/, "")}. Trying again for up to ${GIVE_UP_AFTER_MS / 60_000} minutes.\n`);
  };
  try {
    return createManagementClient({ url, token, giveUpAfterMs: GIVE_UP_AFTER_MS, onRetry });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function pushFolder(run: Run): Promise<Pushed> {
  const folder = await readFolder(run.root);
  const changes = run.since === undefined ? null : await readChanges(run.root, folder, run.since);
  const hashes = await hashFiles(folder, changes?.changed ?? folder.texts.keys());
  const pushed: Pushed = { items: new Map(), removals: new Map(), known: null, doubtful: 0, files: 0, bytes: 0 };
  const listed = [...folder.texts.keys()].map((path) => ({ path, hash: hashes.get(path) ?? null }));
  for (let attempt = 1; ; attempt++) {
    // At each attempt, so that it sends only what was not saved. A service that does not even answer this is not asked again.
    const comparison = await run.client.files.compare(listed, { signal: run.signal });
    // At a later attempt it knows those of the first one, too.
    pushed.known ??= listed.length - comparison.missing.length;
    try {
      await sendMissing(run, folder, { hashes, comparison, renames: changes?.moved ?? [] }, pushed);
      return pushed;
    } catch (error) {
      const isBroken = error instanceof ManagementError && error.status === 0 && !run.signal.aborted;
      if (!isBroken || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

async function sendMissing(
  { client, dryRun, signal }: Run,
  folder: PushedFolder,
  { hashes, comparison, renames }: Differences,
  pushed: Pushed,
): Promise<void> {
  const { missing, removed, known } = comparison;
  const moved = findMoves(missing, removed, hashes, renames);
  const from = new Set(moved.map((move) => move.from));
  const gone = removed.flatMap(({ path }) => (from.has(path) ? [] : path));
  const isDoubtful = gone.length > MAX_UNDOUBTED && gone.length * 2 > known;
  pushed.doubtful = isDoubtful ? gone.length : 0;
  const groups = await inArchives(folder, missing);
  if (groups.length === 0 && gone.length > 0 && !isDoubtful) groups.push({ files: new Map(), own: new Set() });
  for (const [index, { files, own }] of groups.entries()) {
    const isLast = index === groups.length - 1;
    const manifest: PushManifest = {
      folder: folder.name,
      siteFolder: folder.siteFolder,
      names: [...folder.texts.keys()],
      files: [...files.keys()].map((path) => ({
        path,
        hash: own.has(path) ? (hashes.get(path) ?? null) : null,
      })),
      moved: moved.filter(({ to }) => own.has(to)),
      removed: isLast && !isDoubtful ? gone : [],
    };
    await using archive = await writeArchive(manifest, [...files.values()]);
    pushed.files += files.size;
    pushed.bytes += archive.blob.size;
    for await (const answer of client.files.send(archive.blob, { dryRun, signal })) {
      if (answer.kind === "removal") pushed.removals.set(answer.path, answer);
      // Unchanged by now, where an earlier attempt broke off.
      else if (answer.outcome !== "unchanged" || !pushed.items.has(answer.path)) pushed.items.set(answer.path, answer);
    }
  }
}

/** Files that are gone and have come again under another name: unchanged, or as git says. */
function findMoves(
  missing: readonly string[],
  removed: readonly { path: string; hash: string }[],
  hashes: ReadonlyMap<string, string>,
  renames: PushManifest["moved"],
): PushManifest["moved"] {
  const gone = new Map(removed.map(({ path, hash }) => [path, hash]));
  const found = new Set(missing);
  const moved: PushManifest["moved"] = [];
  const add = (from: string, to: string) => {
    moved.push({ from, to });
    gone.delete(from);
    found.delete(to);
  };
  for (const { from, to } of renames) if (gone.has(from) && found.has(to)) add(from, to);
  for (const to of missing) {
    const hash = hashes.get(to);
    if (hash === undefined || !found.has(to)) continue;
    const [from] = [...gone].find(([, one]) => toFileHash(one) === toFileHash(hash)) ?? [];
    if (from !== undefined) add(from, to);
  }
  return moved;
}

interface Group {
  /** By their paths. */
  files: Map<string, FolderFile>;
  /** Those that are articles; the others are what these need. */
  own: Set<string>;
}

/** The files of each archive, with those that they need. */
async function inArchives(folder: PushedFolder, missing: readonly string[]): Promise<Group[]> {
  const groups: Group[] = [];
  let bytes = Infinity;
  for (const path of missing) {
    const text = folder.texts.get(path);
    if (text === undefined) continue;
    const needed = new Map<string, FolderFile>([[path, text], ...folder.configuration]);
    for (const name of findSections(folder, path)) {
      const section = folder.sections.get(name);
      if (section !== undefined) needed.set(name, section);
    }
    for (const [name, file] of await findNamed(folder, [text])) needed.set(name, file);
    let group = groups.at(-1);
    const size = [...needed.values()].reduce((sum, file) => sum + archivedBytes(file.size), 0);
    if (group === undefined || bytes + size > ARCHIVE_BYTES) {
      group = { files: new Map(), own: new Set() };
      groups.push(group);
      bytes = 0;
    }
    for (const [name, file] of needed) group.files.set(name, file);
    group.own.add(path);
    bytes += size;
  }
  return groups;
}

async function writeArchive(manifest: PushManifest, files: readonly FolderFile[]) {
  const folder = await mkdtemp(join(tmpdir(), temporaryPrefix("upload")));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, "push.tar");
    const sizes = files.map(({ file, size }) => ({ path: file, size }));
    await pipeline(writePush(manifest, sizes), createWriteStream(path, { mode: 0o600 }));
    return { blob: await openAsBlob(path), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function report(io: Io, url: string, pushed: Pushed, dryRun: boolean): number {
  const { items, removals, known, doubtful, files, bytes } = pushed;
  const of = (outcome: PushItem["outcome"]) => [...items.values()].filter((item) => item.outcome === outcome);
  const asked = [...removals.values()].filter(({ id }) => id !== null);
  const counts = (["created", "updated", "unchanged", "held", "failed", "skipped"] as const).map(
    (outcome) => `${of(outcome).length + (outcome === "unchanged" ? (known ?? 0) : 0)} ${outcome}`,
  );
  io.err(
    `${dryRun ? "Would be: " : ""}${counts.join(", ")}, ${asked.length} to be removed by people. ` +
      `Sent: ${files} files, ${bytes} bytes.\n`,
  );
  const comment = toComment(url, { failed: of("failed"), held: of("held"), asked, doubtful });
  if (comment === null) return 0;
  io.out(comment);
  return 1;
}

/** Markdown; null: there is nothing to say. */
function toComment(
  url: string,
  found: { failed: readonly PushItem[]; held: readonly PushItem[]; asked: readonly PushRemoval[]; doubtful: number },
): string | null {
  const { failed, held, asked, doubtful } = found;
  if (failed.length + held.length + doubtful === 0) return null;
  const base = url.endsWith("/") ? url : `${url}/`;
  const link = (path: string, id: string | null) =>
    id === null ? toCode(path) : `[${toCode(path)}](${base}dashboard/articles/${id})`;
  const lines = [
    "### Articles that need attention",
    "",
    ...section(
      "Failed",
      failed.map(({ path, id, message }) => `${link(path, id)}: ${toPlain(message ?? "")}`),
    ),
    ...section(
      "Held: people decide in the dashboard",
      held.map(({ path, id, message }) => `${link(path, id)}: ${toPlain(message ?? "")}`),
    ),
    ...section(
      "Their files were deleted: people are asked to delete them",
      asked.map(({ path, id }) => link(path, id)),
    ),
    ...(doubtful === 0
      ? []
      : [
          `${doubtful} files are gone, more than half of all that were pushed before. Nobody was asked to delete their articles: ` +
            "is this the same folder? If it is, delete them in the dashboard.",
          "",
        ]),
  ];
  return lines.join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**`, "", ...lines.map((line) => `- ${line}`), ""];
}

function toCode(path: string): string {
  return `\`${printableLine(path).replaceAll("`", "'")}\``;
}

/** Escapes Markdown, and breaks @mentions, in text that comes from a file. */
function toPlain(text: string): string {
  return printableLine(text)
    .replace(/[\\`*_{}[\]<>#|~!]/g, "\\$&")
    .replaceAll("@", "@\u200B");
}
