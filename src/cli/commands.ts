/** All commands, by what people want to do. Each is loaded on demand: a command starts without the code of the others. */
import type { Command } from "./command.ts";

interface Entry {
  summary: string;
  load: () => Promise<Command>;
}

/** From what most people need first; the help lists them in this order. */
export const COMMAND_AREAS: Record<string, Record<string, Entry>> = {
  "Start here": {
    demo: {
      summary: "run a demonstration with a website and its articles",
      load: async () => (await import("./demo/demo.ts")).demo,
    },
    serve: { summary: "run the service", load: async () => (await import("./serve.ts")).serve },
    service: {
      summary: "have systemd run the service",
      load: async () => (await import("./system/service.ts")).service,
    },
    doctor: {
      summary: "check the installation and report problems",
      load: async () => (await import("./system/doctor.ts")).doctor,
    },
    top: {
      summary: "watch requests, deliveries, queues, processes and the disk",
      load: async () => (await import("./top/top.ts")).top,
    },
  },
  Articles: {
    import: { summary: "import articles", load: async () => (await import("./articles/import.ts")).importCommand },
    export: {
      summary: "export a website's articles",
      load: async () => (await import("./articles/export.ts")).exportCommand,
    },
    article: {
      summary: "create, change, approve, publish and delete articles",
      load: async () => (await import("./articles/article.ts")).article,
    },
    push: {
      summary: "send a repository's articles to a service",
      load: async () => (await import("./articles/push.ts")).push,
    },
    pull: {
      summary: "write published articles as Markdown files",
      load: async () => (await import("./articles/pull.ts")).pull,
    },
    recheck: {
      summary: "compute quality metrics again after an upgrade",
      load: async () => (await import("./articles/recheck.ts")).recheck,
    },
    verify: {
      summary: "check a review record offline",
      load: async () => (await import("./articles/verify.ts")).verify,
    },
  },
  "Websites, people and keys": {
    website: {
      summary: "create, list and delete websites, and change their settings",
      load: async () => (await import("./website/website.ts")).website,
    },
    user: {
      summary: "add and list users, reset passwords",
      load: async () => (await import("./people/user.ts")).user,
    },
    key: {
      summary: "create, list and revoke API keys, and rotate the secret key",
      load: async () => (await import("./people/key.ts")).key,
    },
    token: {
      summary: "create, list and revoke access tokens",
      load: async () => (await import("./people/token.ts")).token,
    },
    "review-key": {
      summary: "list, rotate and revoke the keys that sign review records",
      load: async () => (await import("./system/review-key.ts")).reviewKey,
    },
  },
  "Webhooks, senders and agents": {
    webhook: {
      summary: "manage webhooks, their deliveries and replays",
      load: async () => (await import("./webhooks/webhook.ts")).webhook,
    },
    sender: {
      summary: "connect services that push articles, and see what they have sent",
      load: async () => (await import("./articles/sender.ts")).sender,
    },
    mcp: {
      summary: "connect an agent on this machine to the articles of a service",
      load: async () => (await import("./articles/mcp.ts")).mcp,
    },
  },
  "Data and backups": {
    backup: {
      summary: "copy all data into a file; list and check continuous backups",
      load: async () => (await import("./system/backup.ts")).backup,
    },
    restore: { summary: "restore a backup", load: async () => (await import("./system/restore.ts")).restore },
    restored: {
      summary: "prepare a database that was restored by other means",
      load: async () => (await import("./system/restored.ts")).restored,
    },
    migrate: {
      summary: "migrate the database to this version",
      load: async () => (await import("./system/migrate.ts")).migrate,
    },
    "migrate-store": {
      summary: "move all data between SQLite and PostgreSQL",
      load: async () => (await import("./system/migrate-store.ts")).migrateStore,
    },
  },
  Other: {
    completion: {
      summary: "print what makes a shell complete commands and options",
      load: async () => (await import("./completion.ts")).completion,
    },
    update: {
      summary: "say whether there is a newer version, and what to run",
      load: async () => (await import("./system/update.ts")).update,
    },
    version: { summary: "print the version", load: async () => (await import("./version.ts")).version },
  },
};

export const COMMANDS: Record<string, Entry> = Object.assign({}, ...Object.values(COMMAND_AREAS));

/** The commands without subcommands, by their whole names such as `article list`. For what describes them all. */
export async function loadAllCommands(): Promise<Map<string, Command>> {
  const all = new Map<string, Command>();
  const add = (name: string, command: Command): void => {
    const { commands, runsAlone } = command;
    if (commands === undefined || runsAlone === true) all.set(name, command);
    for (const [sub, one] of Object.entries(commands ?? {})) add(`${name} ${sub}`, one);
  };
  for (const [name, { load }] of Object.entries(COMMANDS)) add(name, await load());
  return all;
}
