import { rmSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../../app/app.ts";
import { OWNER_LINK_FILE } from "../../service/data-folder.ts";
import { hasDashboard } from "../../process/installed-package.ts";
import { makePrivateFolder, writePrivateFile } from "../../store/system/files.ts";
import type { Io } from "../command.ts";
import { ownCommand } from "../command.ts";

/**
 * While there is no account, prints the link at which the first owner sets e-mail address and password. If output goes
 * to a journal that others may read, the link is in a file (mode 0600) until the first start that needs none.
 */
export async function showOwnerLink(
  app: App,
  io: Pick<Io, "err" | "isJournal" | "directory">,
  address: string,
): Promise<void> {
  const { dataDir } = app.config;
  const file = join(dataDir, OWNER_LINK_FILE);
  const link = await ownerLink(app, address);
  if (link === null || !io.isJournal) removeFile(file);
  if (link === null) return;
  const purpose = "The owner sets e-mail address and password";
  if (!io.isJournal) {
    io.err(`Nobody has an account yet. ${purpose} here, once, within a day:\n  ${link}\n`);
    return;
  }
  try {
    makePrivateFolder(dataDir);
    writePrivateFile(file, `${link}\n`);
    io.err(`Nobody has an account yet. ${purpose}, once, within a day, at the link in this file:\n  ${file}\n`);
  } catch (error) {
    io.err(
      `Nobody has an account yet, and the link for the owner cannot be written: ${String(error)}. ` +
        `Run this in a terminal to get one:\n  ${ownCommand(io.directory)} user create --email EMAIL --role owner\n`,
    );
  }
}

/** @returns the first owner's link; null if there is already an account, or no dashboard to open the link in. */
export async function ownerLink(app: App, address: string): Promise<string | null> {
  if (!hasDashboard()) return null;
  // Loaded on demand, so that a server that only serves the read API does not pay for it.
  const { makeSetUpLink, welcomeUrl } = await import("../../operations/people/invitations.ts");
  const token = await makeSetUpLink(app);
  return token === null ? null : welcomeUrl(address, token);
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // If the folder is read-only, the link in it is already used or expired.
  }
}
