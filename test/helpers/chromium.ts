import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

// oxlint-disable-next-line no-restricted-properties -- where the browser is, is a fact of the machine and no setting of ours
export const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  // Requests of frames in processes of their own may leave before a test can see them.
  "--disable-features=IsolateSandboxedIframes",
  // Else the browser itself calls its maker.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** For `skip` of a test: false where there is a browser. */
export const WITHOUT_CHROMIUM = existsSync(CHROMIUM)
  ? false
  : `there is no Chromium at ${CHROMIUM}; install it or set CHROMIUM_PATH`;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
}
