import { VERSION } from "../process/installed-package.ts";
import { type Command, parseOptions } from "./command.ts";

export const version: Command = {
  summary: "print the version",
  help: `Usage: rostrum version [--json]`,
  async run(args, io) {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    io.out(values.json ? `${JSON.stringify({ version: VERSION, node: process.version })}\n` : `${VERSION}\n`);
    return Promise.resolve(0);
  },
};
