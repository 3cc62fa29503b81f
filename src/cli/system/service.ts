/** `rostrum service`: units of systemd for the program that runs this command, made from those in deploy/. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isSea } from "node:sea";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { AppError } from "../../domain/system/errors.ts";
import { readConfig } from "../../process/settings/config.ts";
import { type Command, type Io, ownCommand, parseOptions, quoteWord, subcommands, UsageError } from "../command.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const UNITS = ["rostrum.socket", "rostrum.service"] as const;
const MARK = '# Written by "rostrum service install", which replaces it; for changes of your own: systemctl edit';
/** Of the user's own systemd, which may not change users, and has no such targets. Each user's folders are private as they are. */
const ONLY_FOR_SYSTEM =
  /^(?:User|Group|StateDirectory|CacheDirectory|CapabilityBoundingSet|Protect|Private|Restrict(?!art)|LockPersonality|RemoveIPC|SystemCall|Wants=network|After=network|Environment=ROSTRUM_DATA_DIR|Environment=XDG_CACHE_HOME)/;
/** What the unit hides from the service, or a system removes by itself. */
const HIDDEN = /^\/(?:home|root|run\/user|tmp|var\/tmp|dev\/shm)\//;
const OTHERS_READ = 0o005;

type Scope = "system" | "user";

const OPTIONS = { user: { type: "boolean" }, system: { type: "boolean" } } as const;

const install: Command = {
  summary: "have systemd run the service from now on",
  help: `Usage: rostrum service install [--system | --user] [--dry-run]

Writes units of systemd for this program, wherever it is: a single file, a package or a checkout. Then starts them. What is
there already is kept: settings, secret key and data. Run it again after an upgrade into another folder, and after a change
of HOST, PORT or ROSTRUM_METRICS_PORT.

  --system   for the whole machine, as the user rostrum, which it creates: settings in /etc/rostrum/rostrum.env, data in
             /var/lib/rostrum. The default for root
  --user     for you alone: settings in ~/.config/rostrum/rostrum.env, data in ~/.local/share/rostrum. The default for others
  --dry-run  prints what it would do, as a script`,
  async run(args, io) {
    const { values } = parseOptions(args, { ...OPTIONS, "dry-run": { type: "boolean" } });
    const place = placeOf(scopeOf(values, io), io);
    const isDry = values["dry-run"] === true;
    if (!isDry) {
      assertSystemd(place, io);
      if (place.scope === "system") assertVisible();
    }
    const settings = existsSync(place.settings) ? readFileSync(place.settings, "utf8") : defaultSettings(place);
    const { HOST, PORT, ROSTRUM_METRICS_PORT } = parseEnv(settings);
    // The other settings are checked by the service.
    const config = readConfig({ HOST, PORT, ROSTRUM_METRICS_PORT }, place.units);
    const units = UNITS.map((unit) => ({ path: join(place.units, unit), content: toUnit(unit, place, config) }));
    for (const { path } of units) assertOurs(path);
    const wasThere = units.some(({ path }) => existsSync(path));
    for (const step of settingsSteps(place)) perform(step, isDry, io);
    for (const { path, content } of units) perform(write(path, content, "0644"), isDry, io);
    perform(place.systemctl("daemon-reload"), isDry, io);
    // Systemd opens no socket for a service that runs.
    if (wasThere) perform(place.systemctl("stop", ...UNITS), isDry, io);
    perform(place.systemctl("enable", "--now", ...UNITS), isDry, io);
    if (!isDry) io.out(explain(place, `http://${toAddress(config.host, config.port)}`));
    return Promise.resolve();
  },
};

const uninstall: Command = {
  summary: "stop the service and remove its units",
  help: `Usage: rostrum service uninstall [--system | --user] [--dry-run]

Stops the service, and removes what "rostrum service install" gave to systemd. Settings, secret key and data stay.`,
  async run(args, io) {
    const { values } = parseOptions(args, { ...OPTIONS, "dry-run": { type: "boolean" } });
    const place = placeOf(scopeOf(values, io), io);
    const isDry = values["dry-run"] === true;
    if (!isDry) assertSystemd(place, io);
    const found = UNITS.map((unit) => join(place.units, unit)).filter((path) => existsSync(path));
    if (found.length === 0) throw new AppError("not_found", `There is no service in ${place.units}.`);
    for (const path of found) assertOurs(path);
    perform(place.systemctl("disable", "--now", ...found.map((path) => basename(path))), isDry, io);
    perform(toCommand("rm", ...found), isDry, io);
    perform(place.systemctl("daemon-reload"), isDry, io);
    if (!isDry)
      io.out(`The service is gone. Its settings are still in ${place.settings}, its data in ${place.data}.\n`);
    return Promise.resolve();
  },
};

const status: Command = {
  summary: "show what systemd says of the service",
  help: `Usage: rostrum service status [--system | --user]

The exit code is 0 while the service runs.`,
  async run(args, io) {
    const place = placeOf(scopeOf(parseOptions(args, OPTIONS).values, io), io);
    assertSystemd(place, io, false);
    const command = place.systemctl("status", "--no-pager", "rostrum.service");
    const { status: code, stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    io.out(stdout);
    io.err(stderr);
    return Promise.resolve(code === 0 ? 0 : 1);
  },
};

export const service: Command = {
  summary: "have systemd run the service",
  ...subcommands("service", { install, status, uninstall }),
};

interface Place {
  scope: Scope;
  units: string;
  configFolder: string;
  settings: string;
  data: string;
  /** A command. */
  systemctl: (...words: string[]) => string;
}

function scopeOf(
  { user, system }: { user?: boolean | undefined; system?: boolean | undefined },
  { environment }: Pick<Io, "environment">,
): Scope {
  if (user && system) throw new UsageError("--user and --system exclude each other.");
  if (user && process.getuid?.() === 0 && environment["SUDO_UID"] !== undefined) {
    throw new UsageError("With sudo, --user would be for root: run the command without sudo.");
  }
  return user || (!system && process.getuid?.() !== 0) ? "user" : "system";
}

function placeOf(scope: Scope, { environment }: Pick<Io, "environment">): Place {
  // Empty and relative paths count as unset, as XDG's specification says.
  const folder = (name: string, otherwise: string) => {
    const path = environment[name] ?? "";
    return isAbsolute(path) ? path : otherwise;
  };
  const home = folder("HOME", homedir());
  const config = scope === "system" ? "/etc" : folder("XDG_CONFIG_HOME", join(home, ".config"));
  const share = scope === "system" ? "/var/lib" : folder("XDG_DATA_HOME", join(home, ".local", "share"));
  const configFolder = join(config, "rostrum");
  return {
    scope,
    units: join(config, "systemd", scope),
    configFolder,
    settings: join(configFolder, "rostrum.env"),
    data: join(share, "rostrum"),
    systemctl: (...words) => toCommand("systemctl", ...(scope === "user" ? ["--user"] : []), ...words),
  };
}

function assertSystemd({ scope }: Place, { directory }: Pick<Io, "directory">, changes = true): void {
  if (!existsSync("/run/systemd/system")) {
    const what = `This machine does not run systemd: have what starts programs here run "${ownCommand(directory)} serve"`;
    throw new AppError("conflict", `${what}, and end it with SIGTERM.`);
  }
  if (changes && scope === "system" && process.getuid?.() !== 0) {
    throw new AppError(
      "forbidden",
      "Only root can change the services of the machine: use sudo, or --user for a service of yours.",
    );
  }
}

/** As in bin/lean.js; without them, the launcher would start Node again. */
const LEAN_FLAGS = ["--max-semi-space-size=4", "--v8-pool-size=1"];

/** The words of the unit's command. */
function programWords(): string[] {
  if (isSea()) return [process.execPath];
  return [process.execPath, ...LEAN_FLAGS, join(ROOT, "bin", "rostrum.js")];
}

/** @throws AppError `conflict` where another user than root cannot run the program. */
function assertVisible(): void {
  for (const path of programWords().filter((word) => word.startsWith("/"))) {
    const isHidden = HIDDEN.test(path);
    if (!isHidden && isReadable(path)) continue;
    const why = isHidden ? "a service of the machine sees nothing that is there" : "other users cannot read it";
    const where = isSea()
      ? "Copy it to /usr/local/bin/rostrum"
      : 'Install it elsewhere, as "npm install --global" does';
    throw new AppError("conflict", `The program is ${path}, and ${why}. ${where}, or use --user.`);
  }
}

function isReadable(path: string): boolean {
  for (let part = path; part !== "/"; part = dirname(part)) {
    const { mode } = statSync(part);
    if ((mode & OTHERS_READ) !== OTHERS_READ) return false;
  }
  return true;
}

/** @throws AppError `conflict` if somebody else wrote the unit. */
function assertOurs(path: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8").startsWith(MARK)) return;
  throw new AppError("conflict", `${path} was not written by this command: move it away first, or keep using it.`);
}

/** What there is already is not among them. */
function settingsSteps(place: Place): string[] {
  const { scope, configFolder, settings, data } = place;
  const link = join(configFolder, ".env");
  const key = join(configFolder, "secret-key");
  const group = scope === "system" ? ["-g", "rostrum"] : [];
  const steps: string[] = [];
  if (scope === "system" && spawnSync("id", ["-u", "rostrum"]).status !== 0) {
    const shell = ["--shell", "/usr/sbin/nologin"];
    steps.push(toCommand("useradd", "--system", "--user-group", "--home-dir", data, ...shell, "rostrum"));
  }
  if (!existsSync(configFolder)) {
    steps.push(toCommand("install", "-d", "-m", scope === "system" ? "0750" : "0700", ...group, configFolder));
  }
  if (!existsSync(settings)) {
    steps.push(write(settings, defaultSettings(place), scope === "system" ? "0640" : "0600", group));
  }
  // Commands in this folder find the settings there.
  if (!existsSync(link)) steps.push(toCommand("ln", "-s", "rostrum.env", link));
  if (scope === "system" && !existsSync(key)) {
    const install = toCommand("install", "-m", "0640", ...group, "/dev/stdin", key);
    steps.push(`od -An -N32 -tx1 /dev/urandom | tr -d ' \\n' | ${install}`);
  }
  return steps;
}

function write(path: string, content: string, mode: string, group: string[] = []): string {
  const install = toCommand("install", "-D", "-m", mode, ...group, "/dev/stdin", path);
  return `${install} <<'EOF'\n${content.trimEnd()}\nEOF`;
}

function defaultSettings({ scope, data, settings }: Place): string {
  const [, ...given] = readFileSync(join(ROOT, "deploy", "rostrum.env"), "utf8").split("\n");
  const lines = given.map((line) => {
    if (line.startsWith("ROSTRUM_PUBLIC_URL=")) return `# ${line}`;
    return line.startsWith("ROSTRUM_DATA_DIR=") ? `ROSTRUM_DATA_DIR=${data}` : line;
  });
  const own =
    scope === "system"
      ? lines
      : lines
          .slice(
            0,
            lines.findIndex((line) => line.startsWith("# Several processes")),
          )
          .filter((line) => !line.includes("/etc/rostrum"));
  return `# ${settings}: the service and the commands in this folder read these settings.\n${own.join("\n")}`;
}

function toUnit(
  unit: (typeof UNITS)[number],
  place: Place,
  config: { host: string; port: number; metricsPort: number | null },
): string {
  const given = readFileSync(join(ROOT, "deploy", unit), "utf8");
  const lines = given.split("\n").filter((line) => !line.startsWith("#"));
  const command = [...programWords(), "serve"].map(quoted).join(" ");
  const listens = [config.port, ...(config.metricsPort === null ? [] : [config.metricsPort])];
  const replaced: Record<string, string[]> = {
    Documentation: isSea() ? [] : [`Documentation=${escaped(pathToFileURL(join(ROOT, "docs", "operate.md")).href)}`],
    WorkingDirectory: [`WorkingDirectory=${escaped(place.configFolder)}`],
    EnvironmentFile: [`EnvironmentFile=${escaped(place.settings)}`],
    ExecStart: [...(isSea() ? [`Environment="NODE_OPTIONS=${LEAN_FLAGS.join(" ")}"`] : []), `ExecStart=${command}`],
    ExecReload: [`ExecReload=${command} --takeover`],
    ListenStream: listens.map((port) => `ListenStream=${toAddress(config.host, port)}`),
    ...(place.scope === "user" && unit === "rostrum.service" ? { WantedBy: ["WantedBy=default.target"] } : {}),
  };
  const done = new Set<string>();
  const own = lines.flatMap((line) => {
    if (place.scope === "user" && ONLY_FOR_SYSTEM.test(line)) return [];
    const key = line.slice(0, line.indexOf("="));
    const others = replaced[key];
    if (others === undefined) return [line];
    if (done.has(key)) return [];
    done.add(key);
    return others;
  });
  return `${MARK}\n${own.join("\n")}`;
}

/** In units, `%` begins a name. */
function escaped(text: string): string {
  return text.replaceAll("%", "%%");
}

/** For a unit's command: spaces end a word, and `$` begins a name, too. */
function quoted(word: string): string {
  const text = escaped(word).replaceAll("$", "$$$$");
  return /[\s"'\\]/.test(text) ? JSON.stringify(text) : text;
}

/** Systemd takes no names. @throws AppError `misconfigured`. */
function toAddress(host: string, port: number): string {
  const address = host === "localhost" ? "127.0.0.1" : host;
  if (address.includes(":")) return `[${address}]:${port}`;
  if (/^[\d.]+$/.test(address)) return `${address}:${port}`;
  throw new AppError("misconfigured", `HOST is ${host}: systemd needs an IP address, such as 127.0.0.1 or 0.0.0.0.`);
}

/** Prints the command or runs it. @throws AppError `conflict` if it fails; it says why itself. */
function perform(step: string, isDry: boolean, io: Pick<Io, "out" | "err">): void {
  if (isDry) return io.out(`${step}\n`);
  const { status: code, stderr } = spawnSync("sh", ["-c", step], { encoding: "utf8" });
  if (code === 0) return;
  io.err(stderr);
  const log = step.startsWith("systemctl") ? ' See "journalctl -e -u rostrum".' : "";
  throw new AppError("conflict", `"${step.split(" <<")[0]}" failed.${log}`);
}

function toCommand(...words: string[]): string {
  return words.map(quoteWord).join(" ");
}

function explain({ scope, configFolder, settings, data }: Place, address: string): string {
  const isSystem = scope === "system";
  const command = ownCommand(configFolder);
  const link = join(data, "owner-link.txt");
  return `Rostrum runs at ${address}, and starts with ${isSystem ? "the machine" : "your session"}.
Settings:  ${settings}; after a change run this command again
Commands:  cd ${quoteWord(configFolder)} && ${isSystem ? "sudo -u rostrum " : ""}${command} doctor
Log:       journalctl ${isSystem ? "" : "--user "}-u rostrum
Until someone has an account, the link for the owner is in ${link}${isSystem ? ", which root can read" : ""}.
${
  isSystem
    ? `Keep a copy of ${join(configFolder, "secret-key")} elsewhere: it is part of no backup.`
    : "To have it run while you are not signed in: loginctl enable-linger"
}
`;
}
