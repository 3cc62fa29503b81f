/** All commands and their help, as the program itself prints them. */
import { Readable } from "node:stream";
import { main } from "../src/main.ts";

interface ListedCommand {
  name: string;
  summary: string;
}

/** Those that do something; a group is listed by its subcommands. */
export async function listCommands(): Promise<ListedCommand[]> {
  const top = readList(await readHelp(""));
  const lists = await Promise.all(
    top.map(async (command) => {
      const subcommands = readList(await readHelp(command.name)).filter(({ name }) =>
        name.startsWith(`${command.name} `),
      );
      return subcommands.length === 0 ? [command] : subcommands;
    }),
  );
  return lists.flat();
}

export async function readHelp(command: string): Promise<string> {
  let text = "";
  const code = await main([...command.split(" ").filter(Boolean), "--help"], {
    stdin: Readable.from([]),
    out: (part) => {
      text += part;
    },
    write: (_data, done) => done(),
    err: () => undefined,
    redraw: () => undefined,
    isTerminal: false,
    isJournal: false,
    environment: {},
    directory: import.meta.dirname,
    exit: () => undefined,
    whenStopped: () => new Promise(() => undefined),
  });
  if (code !== 0) throw new Error(`the help of "${command}" ends with code ${code}`);
  return text;
}

/** Lines such as `  key create    create an API key`. */
function readList(help: string): ListedCommand[] {
  return Array.from(
    help.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z][a-z-]*)?) {2,}(\S.*)$/gm),
    ([, name = "", summary = ""]) => ({
      name,
      summary,
    }),
  );
}
