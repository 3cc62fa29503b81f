/** The texts of `help` and `--help`. */
import type { Command } from "./command.ts";
import { COMMAND_AREAS } from "./commands.ts";
import { EXAMPLES } from "./examples.ts";

const GROUP_EXAMPLES = 3;
/** Longer lines are hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100;

export function overview(): string {
  const areas = Object.entries(COMMAND_AREAS).map(([area, commands]) => {
    const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(15)}${summary}\n`);
    return `${area}:\n${lines.join("")}`;
  });
  return [
    "Rostrum stores articles, has them reviewed and published, and delivers them by a read API.",
    "",
    "Usage: rostrum <command> [options]",
    "",
    ...areas,
    '"rostrum help COMMAND" explains a command. Settings are read from the environment and from .env;',
    "docs/reference/settings.md lists them.",
  ].join("\n");
}

/** @param name the whole name, such as `article list`. @param columns the terminal's width; null: no terminal. */
export function explain(name: string, command: Command, columns: number | null): string {
  const help = wrap(command.help, Math.min(columns ?? MAX_COLUMNS, MAX_COLUMNS));
  const { commands } = command;
  const examples = [
    ...(EXAMPLES[name] ?? []),
    ...Object.keys(commands ?? {})
      .flatMap((sub) => EXAMPLES[`${name} ${sub}`]?.slice(0, 1) ?? [])
      .slice(0, GROUP_EXAMPLES),
  ];
  if (examples.length === 0) return help;
  return [help, "", examples.length === 1 ? "Example:" : "Examples:", ...examples.map((one) => `  ${one}`)].join("\n");
}

/** Breaks the lines of paragraphs anew, and of descriptions of options below their beginning. Usage stays as it is. */
function wrap(help: string, columns: number): string {
  return help
    .split("\n\n")
    .map((block) =>
      block.startsWith("Usage:")
        ? block
        : toItems(block)
            .map((item) => fill(item, columns))
            .join("\n"),
    )
    .join("\n\n");
}

/** A paragraph, or what stands before a description, and the description. */
interface Item {
  lead: string;
  text: string;
}

function toItems(block: string): Item[] {
  const items: Item[] = [];
  for (const line of block.split("\n")) {
    const previous = items.at(-1);
    if (/^ {2}\S/.test(line)) {
      const gap = line.indexOf("  ", 2);
      const text = gap === -1 ? "" : line.slice(gap).trimStart();
      items.push({ lead: gap === -1 ? `${line}  ` : line.slice(0, line.length - text.length), text });
    } else if (previous === undefined) items.push({ lead: "", text: line });
    else previous.text = `${previous.text} ${line.trim()}`.trim();
  }
  return items;
}

function fill({ lead, text }: Item, columns: number): string {
  const lines = [lead];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.trim() !== "" && line.trim() !== lead.trim() && line.length + 1 + word.length > columns) {
      lines.push(" ".repeat(lead.length) + word);
    } else {
      lines[lines.length - 1] = line.endsWith(" ") || line === "" ? line + word : `${line} ${word}`;
    }
  }
  return lines.join("\n");
}
