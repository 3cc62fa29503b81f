import type { Io } from "./command.ts";

const WIDTH = 30;
const EVERY_MS = 100;

export interface ProgressBar extends Disposable {
  /** `share`: 0 to 1, or null if the total is unknown. */
  show(share: number | null, text: string): void;
  clear(): void;
}

/** A progress line on standard error that is redrawn in place; no output unless it is a terminal. */
export function progressBar(io: Pick<Io, "redraw" | "isTerminal">, title: string): ProgressBar {
  let drawnAt = 0;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) io.redraw("");
    isDrawn = false;
  };
  return {
    show(share, text) {
      const now = performance.now();
      if (!io.isTerminal || now - drawnAt < EVERY_MS) return;
      drawnAt = now;
      isDrawn = true;
      io.redraw(`${title} ${share === null ? "" : drawBar(share)} ${text}`);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
  return `[${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}
