/** Detects that the service was upgraded after this page was loaded. Its files have changed, so the page must be reloaded. */
const RELOADED = "rostrum.reloaded";
const TIMEOUT_MS = 10_000;

/** @returns `away` if the service does not respond: reloading would then lose the page. */
export async function checkBuild(): Promise<"same" | "newer" | "away"> {
  try {
    const response = await fetch("/dashboard/", { cache: "no-cache", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const html = response.ok ? await response.text() : "";
    if (!html.includes('id="root"')) return "away";
    return html.includes(`"${entryPath()}"`) ? "same" : "newer";
  } catch {
    return "away";
  }
}

/** Reloads to get a newer build; only once, in case several builds respond in turn. */
export function reloadOnce(): boolean {
  const entry = entryPath();
  try {
    if (sessionStorage.getItem(RELOADED) === entry) return false;
    sessionStorage.setItem(RELOADED, entry);
  } catch {
    // Without storage it could not be told whether this page was reloaded before.
    return false;
  }
  window.location.reload();
  return true;
}

/** The URL of the script that loaded this page; it changes with each build. */
function entryPath(): string {
  return document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute("src") ?? "";
}
