/** Files from the browser: dropped, including folders, or chosen in a dialog. */

export interface NamedFile {
  /** Path with folders, such as `posts/2026/first.md`: it carries information that the file does not have. */
  name: string;
  file: File;
}

export interface Drop {
  files: NamedFile[];
  /** Names of files and folders that the browser may not read. */
  unreadable: string[];
}

/** The dropped files, including those in folders. Must be called synchronously in the event handler; the files come later. */
export async function readDrop(transfer: DataTransfer): Promise<Drop> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const unreadable: string[] = [];
  const found = await Promise.all(entries.map((entry) => readEntry(entry, unreadable)));
  return { files: inOrder(found.flat()), unreadable };
}

/** The files chosen in a dialog; for a folder, with their paths. */
export function readFileList(list: FileList): NamedFile[] {
  return inOrder([...list].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
}

/**
 * The single folder that contains all files; null if there is none. Paths are relative to it; without it the names of the
 * dropped folders are part of the path by which a file is recognised when it is imported again.
 */
export function getFolder(files: readonly NamedFile[]): string | null {
  const [folder = "", ...rest] = (files[0]?.name ?? "").split("/");
  const isTheirs = rest.length > 0 && files.every(({ name }) => name.startsWith(`${folder}/`));
  return isTheirs ? folder : null;
}

/** Configurations of sites, without which their addresses and times would be guessed. */
const CONFIGURATION =
  /(?:^|\/)(?:\.eleventy\.[cm]?js|\.(?:vitepress|vuepress)\/config\.[cm]?[jt]s|\.obsidian\/app\.json)$/;
const WITH_CONFIGURATION = /(?:^|\/)\.(?:vitepress|vuepress|obsidian)$/;

/** Files that file managers and other tools add. */
function isHidden(name: string): boolean {
  return (
    !CONFIGURATION.test(name) &&
    name.split("/").some((part) => part.startsWith(".") || part === "__MACOSX" || part === "node_modules")
  );
}

function inOrder(files: NamedFile[]): NamedFile[] {
  return files.filter(({ name }) => !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readEntry(entry: FileSystemEntry, unreadable: string[]): Promise<NamedFile[]> {
  const name = entry.fullPath.replace(/^\//, "");
  if (isHidden(name) && !(isFolder(entry) && WITH_CONFIGURATION.test(name))) return [];
  const found: NamedFile[] = [];
  try {
    if (isFile(entry)) {
      found.push({ name, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
    }
    if (!isFolder(entry)) return found;
    const reader = entry.createReader();
    for (;;) {
      // Returns a hundred entries at a time, and none at the end.
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return found;
      for (const one of some) found.push(...(await readEntry(one, unreadable)));
    }
  } catch {
    unreadable.push(name);
    return found;
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
