import { basename, resolve } from "node:path";
import { RostrumError, createClient } from "../../../client/src/index.ts";
import { EDITORIAL_ADDITIONS } from "../../domain/articles/api-format.ts";
import { type Command, type Io, parseChoice, parseOptions, required, UsageError } from "../command.ts";
import { readTextFile, writable } from "../files.ts";
import { FILE_NAMES, MarkdownFolder } from "./markdown-folder.ts";
import { PulledPictures } from "./pulled-pictures.ts";

export const pull: Command = {
  summary: "write a website's published articles as Markdown files",
  help: `Usage: rostrum pull DIR --url URL --key-file FILE [--lang TAG] [--names slug|date-slug]
                    [--pictures DIR [--pictures-url PATH]] [--json]

Writes each published article as a Markdown file with YAML front matter into DIR, for Hugo, Jekyll, Eleventy, Astro and
every other generator. Run it again before each build: only what has changed is read, and files of articles that are no
longer published are removed. It changes no file that it has not written itself; DIR/.rostrum-pull.json lists those.

  --url       where the service is, e.g. https://articles.example.com
  --key-file  a file with an API key, or - for standard input
  --lang      only articles in this language, e.g. de: where each language has slugs of its own, pull each into its own folder
  --names     slug: water-for-tea.md (default); date-slug: 2026-11-21-water-for-tea.md, as Jekyll wants it
  --pictures  also write the pictures of this service into a folder, and their addresses there into the texts
  --pictures-url  what these addresses begin with; by default the folder's name, /pictures for static/pictures
  --json      print {written, removed}: names of files`,
  async run(args, io) {
    const { values, positionals } = parseOptions(
      args,
      {
        url: { type: "string" },
        "key-file": { type: "string" },
        lang: { type: "string" },
        names: { type: "string" },
        pictures: { type: "string" },
        "pictures-url": { type: "string" },
        json: { type: "boolean" },
      },
      ["DIR"],
    );
    const url = required(values.url, "url");
    const keyFile = required(values["key-file"], "key-file");
    const names = parseChoice(values.names, FILE_NAMES, "names") ?? "slug";
    const key = (await readTextFile(keyFile, io)).trim();
    const client = connect(url, key);
    const path = resolve(io.directory, String(positionals[0]));
    const stop = new AbortController();
    const pictures = openPictures(values, { service: url, directory: io.directory, signal: stop.signal });
    using folder = await writable(path, () => MarkdownFolder.open(path, { url, names, pictures }));
    void io.whenStopped().then(() => stop.abort());
    try {
      await writable(path, () =>
        client.sync({
          store: folder,
          lang: values.lang,
          format: ["markdown"],
          include: [...EDITORIAL_ADDITIONS, "updated_at"],
          signal: stop.signal,
        }),
      );
    } catch (error) {
      if (!(error instanceof RostrumError)) throw error;
      io.err(`${error.message}\n`);
      return error.status === 0 || error.status >= 500 ? 69 : 1;
    }
    if (pictures !== null && pictures.missing > 0) {
      const { missing } = pictures;
      io.err(`${missing} ${missing === 1 ? "picture is" : "pictures are"} not at ${url}: the addresses stay.\n`);
    }
    report(io, folder, values.json === true);
    return 0;
  },
};

function openPictures(
  values: { pictures?: string | undefined; "pictures-url"?: string | undefined },
  { service, directory, signal }: { service: string; directory: string; signal: AbortSignal },
): PulledPictures | null {
  const { pictures, "pictures-url": address } = values;
  if (pictures === undefined) {
    if (address !== undefined) throw new UsageError("--pictures-url is for --pictures.");
    return null;
  }
  const folder = resolve(directory, pictures);
  const prefix = address ?? `/${encodeURIComponent(basename(folder))}`;
  if (!/^(?:https?:\/\/|\/)[^\s"'<>()[\]{}\\]{0,500}$/.test(prefix)) {
    throw new UsageError("--pictures-url must begin with / or https://, and have no space, quotation mark or bracket.");
  }
  return new PulledPictures({ service, folder, prefix: prefix.replace(/\/$/, ""), signal });
}

function connect(url: string, key: string) {
  try {
    return createClient({ url, key });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function report(io: Io, { written, removed }: { written: string[]; removed: string[] }, isJson: boolean): void {
  if (isJson) io.out(`${JSON.stringify({ written, removed })}\n`);
  else io.err(`${written.length} written, ${removed.length} removed.\n`);
}
