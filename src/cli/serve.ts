import { openApp } from "../app.ts";
import { describeDatabase, readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { listWebsites } from "../operations/websites.ts";
import { claimDataFolder } from "../running.ts";
import { startService } from "../service.ts";
import { VERSION } from "../version.ts";
import { type Command, parse } from "./command.ts";
import { ownerLink } from "./owner-link.ts";

export const serve: Command = {
  summary: "run the service",
  help: `Usage: rostrum serve

Serves the read API, its documentation, health and metrics until it is stopped (SIGINT or SIGTERM).

  HOST (127.0.0.1) and PORT (4000) say where, ROSTRUM_DATA_DIR (./data) says with which data;
  the README lists every setting.`,
  async run(args, io) {
    parse(args, {});
    const stopped = io.whenStopped();
    const config = readConfig(io.environment, io.directory);
    await using app = await openApp(config);
    const log = openLog(config.logLevel);
    try {
      await using service = await startService(app, log);
      using _claim = config.database.kind === "sqlite" ? claimDataFolder(config.database.path, service.url) : undefined;
      // Where people reach it; the claim above is for this machine, and names where it listens.
      const address = config.publicUrl ?? service.url;
      log.info(
        {
          url: service.url,
          publicUrl: config.publicUrl,
          version: VERSION,
          database: describeDatabase(config.database),
        },
        "serving",
      );
      if (config.database.kind === "postgres" && config.secretKey === null) {
        log.warn(
          {},
          "ROSTRUM_SECRET_KEY is not set: each machine has a key of its own, and cannot sign for the others",
        );
      }
      if ((await listWebsites(app)).length === 0) {
        io.err(
          `Rostrum serves at ${address}; there is no website yet. Beside it, run:\n` +
            `  npx rostrum website create --name "My website" --url https://example.com\n`,
        );
      }
      const link = await ownerLink(app, address);
      if (link !== null) {
        io.err(
          `Nobody has an account yet. The owner sets e-mail address and password here, once, within a day:\n  ${link}\n`,
        );
      }
      await stopped;
      log.info({}, "stopping");
    } finally {
      log.flush();
    }
    return 0;
  },
};
