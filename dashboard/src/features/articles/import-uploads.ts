/** The requests of an import: files of one drop travel together, and those that stand for themselves alone. */
import { getFolder, type NamedFile } from "./dropped-files.ts";

export interface Upload {
  files: readonly NamedFile[];
  /** What to call it. */
  name: string;
  folder: string | null;
  /** Whether `body` has several files, with their names. */
  isTogether: boolean;
  body: Blob;
}

/** Limits of one request: the service takes at most 200 MB and 10,000 files. */
const MAX_BYTES = 100_000_000;
const MAX_FILES = 5_000;
/** Larger files go alone, so that the others do not wait for them. */
const MAX_BYTES_OF_ONE = 20_000_000;
const ARCHIVE = /\.(?:zip|tar|t?gz)$/i;
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
/** Files that were not dropped in a folder are read by what is in them, unless their name says it. */
const SAYS_ITS_KIND = /\.(?:md|markdown|mdx|mkd|mdown|html?|adoc|asciidoc|docx|png|jpe?g|gif|webp|avif|svg)$/i;
/** The article of its folder, which must come with it. */
const INDEX = /^index\.[^/]*$/i;

export function toUploads(files: readonly NamedFile[]): Upload[] {
  const folder = getFolder(files);
  const parts = findParts(files);
  const uploads: Upload[] = [];
  let together: NamedFile[] = [];
  let bytes = 0;
  const send = () => {
    if (together.length > 0) uploads.push(toUpload(together, folder));
    together = [];
    bytes = 0;
  };
  for (const one of files) {
    if (!parts.has(one) && isAlone(one)) {
      uploads.push(toUpload([one], folder));
      continue;
    }
    if (bytes + one.file.size > MAX_BYTES || together.length >= MAX_FILES) send();
    together.push(one);
    bytes += one.file.size;
  }
  send();
  return uploads;
}

/** WordPress splits an export into several files, which need each other. */
function findParts(files: readonly NamedFile[]): ReadonlySet<NamedFile> {
  const parts = files.filter(({ name }) => /\.xml$/i.test(name));
  const bytes = parts.reduce((sum, { file }) => sum + file.size, 0);
  return new Set(parts.length > 1 && bytes <= MAX_BYTES ? parts : []);
}

function isAlone({ name, file }: NamedFile): boolean {
  if (file.size > MAX_BYTES_OF_ONE || ARCHIVE.test(name)) return true;
  return !name.includes("/") && (!SAYS_ITS_KIND.test(name) || INDEX.test(name));
}

function toUpload(files: readonly NamedFile[], folder: string | null): Upload {
  const [first] = files;
  if (files.length === 1 && first !== undefined) {
    return { files, name: first.name, folder, isTogether: false, body: first.file };
  }
  const list = files.map(({ name, file }) => ({ name, size: file.size }));
  const name = folder ?? `${files.length} files`;
  const body = new Blob([`${JSON.stringify(list)}\n`, ...files.map(({ file }) => file)]);
  return { files, name, folder, isTogether: true, body };
}

/** How many files have no result; pictures belong to their articles. `sources`: what results are called. */
export function countNotStarted(files: readonly NamedFile[], sources: ReadonlySet<string>): number {
  const folder = getFolder(files);
  // One file may have several articles, whose sources begin with its name.
  const begun = new Set([...sources].map((source) => source.replace(/(\.\w+)[:# ].*$/, "$1")));
  return files.filter(({ name }) => {
    const own = folder === null ? name : name.slice(folder.length + 1);
    return !PICTURE.test(name) && !begun.has(own) && !begun.has(name);
  }).length;
}
