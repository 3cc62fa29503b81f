/** Files as a browser hands them over: dropped, with folders in them, or chosen. */

export interface NamedFile {
  /** With its folders, as in `posts/2026/first.md`: they say what the file does not. */
  name: string;
  file: File;
}

/** What was dropped, folders opened. Must be called before the event is over; the files come later. */
export async function filesOfDrop(transfer: DataTransfer): Promise<NamedFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map((entry) => filesOfEntry(entry)));
  return inOrder(found.flat());
}

/** What was chosen in a dialog; of a folder, with the names of the folders. */
export function filesOfList(list: FileList): NamedFile[] {
  return inOrder([...list].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
}

/**
 * The one folder that all of them lie in, as when nothing else was dropped; null: there is none. Without it the folders that
 * were dropped are part of what a file is recognised by when it comes again.
 */
export function folderOf(files: readonly NamedFile[]): string | null {
  const [folder = "", ...rest] = (files[0]?.name ?? "").split("/");
  const isTheirs = rest.length > 0 && files.every(({ name }) => name.startsWith(`${folder}/`));
  return isTheirs ? folder : null;
}

/** What file managers put beside the files. */
function isHidden(name: string): boolean {
  return name.split("/").some((part) => part.startsWith(".") || part === "__MACOSX" || part === "node_modules");
}

function inOrder(files: NamedFile[]): NamedFile[] {
  return files.filter(({ name }) => !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function filesOfEntry(entry: FileSystemEntry): Promise<NamedFile[]> {
  const name = entry.fullPath.replace(/^\//, "");
  if (isHidden(name)) return [];
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ name, file }];
  }
  if (!isFolder(entry)) return [];
  const found: NamedFile[] = [];
  const reader = entry.createReader();
  for (;;) {
    // It gives a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await filesOfEntry(one)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
