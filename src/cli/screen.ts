/** A whole terminal that is redrawn in place, as `rostrum top` does. */
import { styleText } from "node:util";
import type { Screen } from "./command.ts";
import { printableLine } from "./output.ts";

const OPEN = "\u001b[?1049h\u001b[?25l";
const CLOSE = "\u001b[?25h\u001b[?1049l";
const QUIT = new Set(["q", "Q", "\u0003", "\u001b"]);

/** What was on the terminal comes back on disposal, and at the latest when the process exits. */
export function openScreen({ stdin, stdout }: Pick<NodeJS.Process, "stdin" | "stdout">): Screen {
  const { promise: quit, resolve } = Promise.withResolvers<void>();
  const onKey = (key: Buffer) => {
    if (QUIT.has(key.toString("latin1"))) resolve();
  };
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.off("data", onKey).pause();
    stdout.write(CLOSE);
  };
  process.once("exit", close);
  stdout.write(OPEN);
  if (stdin.isTTY) stdin.setRawMode(true).on("data", onKey).resume();
  const listeners: (() => void)[] = [];
  return {
    quit,
    columns: () => stdout.columns,
    draw(lines) {
      const shown = lines.slice(0, stdout.rows).map(({ text, style }) => {
        const cut = printableLine(text).slice(0, stdout.columns);
        return `${style === undefined ? cut : styleText(style, cut, { stream: stdout })}\u001b[K`;
      });
      stdout.write(`\u001b[H${shown.join("\r\n")}\u001b[J`);
    },
    onResize(listener) {
      listeners.push(listener);
      stdout.on("resize", listener);
    },
    [Symbol.dispose]() {
      for (const listener of listeners) stdout.off("resize", listener);
      process.off("exit", close);
      close();
    },
  };
}
