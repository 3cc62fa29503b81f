/** Whether the service has been upgraded since this page was loaded: then it has other files, and only reloading helps. */
const RELOADED = "rostrum.reloaded";
const TIMEOUT_MS = 10_000;

/** @returns `away` when the service does not answer: whoever reloaded then would lose the page. */
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

/** Reloads for the sake of a newer build; once, in case the answers come from several builds in turn. */
export function reloadOnce(): boolean {
  const entry = entryPath();
  if (sessionStorage.getItem(RELOADED) === entry) return false;
  sessionStorage.setItem(RELOADED, entry);
  window.location.reload();
  return true;
}

/** The script that this page began with; its name changes with each build. */
function entryPath(): string {
  return document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute("src") ?? "";
}
