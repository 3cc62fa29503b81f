import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Chromium without windows shows the first page in a third of the time. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
const WHOLE_CHROMIUM = "/usr/bin/chromium";
const INSTALLED = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : WHOLE_CHROMIUM;

// oxlint-disable-next-line no-restricted-properties -- the browser's location depends on the machine, not on our configuration
export const CHROMIUM = process.env["CHROMIUM_PATH"] ?? INSTALLED;

export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  // Requests of out-of-process frames may be sent before a test can intercept them.
  "--disable-features=IsolateSandboxedIframes",
  // Stops the browser's own background requests.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** For the `skip` option of a test: false if there is a browser. */
export const WITHOUT_CHROMIUM = existsSync(CHROMIUM)
  ? false
  : `there is no Chromium at ${CHROMIUM}; install it or set CHROMIUM_PATH`;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
}

let shared: { browser: Browser; users: number } | undefined;

/** The browser that its users in this process share, because its start takes longer than many a test. The last of them closes it. */
export async function shareChromium(): Promise<AsyncDisposable & { browser: Browser }> {
  if (shared?.browser.isConnected() !== true) shared = { browser: await launchChromium(), users: 0 };
  const own = shared;
  own.users++;
  return {
    browser: own.browser,
    [Symbol.asyncDispose]: async () => {
      own.users--;
      if (own.users === 0) await own.browser.close();
    },
  };
}
