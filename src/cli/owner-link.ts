import type { App } from "../app.ts";
import { hasScreens } from "../http/dashboard.ts";

/**
 * The one-time link at which the first owner sets e-mail address and password; null when there is an account already, or
 * nothing that it could lead to. `address`: where people reach the service.
 */
export async function ownerLink(app: App, address: string): Promise<string | null> {
  if (!hasScreens()) return null;
  // Loaded when it is needed: a server that only reads never pays for it.
  const { makeSetUpLink, welcomeUrl } = await import("../operations/invitations.ts");
  const token = await makeSetUpLink(app);
  return token === null ? null : welcomeUrl(address, token);
}
