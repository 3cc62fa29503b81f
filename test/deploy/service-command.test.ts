/** `rostrum service`: the script that it prints, which is what it does. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCli } from "../helpers/cli-in-process.ts";
import { tempFolder } from "../helpers/folder.ts";

const DEPLOY = join(import.meta.dirname, "..", "..", "deploy");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** The files that the script writes, by their paths. */
function filesIn(script: string): Record<string, string> {
  const found = script.matchAll(/^install -D [^\n]* \/dev\/stdin (\S+) <<'EOF'\n(.*?)^EOF$/gms);
  return Object.fromEntries(Array.from(found, ([, path = "", content = ""]) => [path, content]));
}

/** Without comments, and what names the program or its folders. */
function common(unit: string): string[] {
  const own = /^(?:#|$|Documentation=|WorkingDirectory=|Exec|EnvironmentFile=)/;
  return unit.split("\n").filter((line) => !own.test(line));
}

test("for the machine: the units of deploy/, with this program, its folders and what they protect", async () => {
  const { code, stdout, stderr } = await runCli(["service", "install", "--system", "--dry-run"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const files = filesIn(stdout);
  const unit = files["/etc/systemd/system/rostrum.service"] ?? "";
  assert.deepEqual(common(unit), common(readFileSync(join(DEPLOY, "rostrum.service"), "utf8")));
  const [, command = ""] =
    /^ExecStart=(\S+ --max-semi-space-size=4 --v8-pool-size=1 \S+\/bin\/rostrum\.js serve)$/m.exec(unit) ?? [];
  assert.ok(unit.includes(`\nExecReload=${command} --takeover\n`), unit);
  assert.doesNotMatch(stdout, /\/opt\/rostrum/);
  assert.match(
    files["/etc/systemd/system/rostrum.socket"] ?? "",
    /^ListenStream=127\.0\.0\.1:4000\nListenStream=127\.0\.0\.1:14000$/m,
  );
  assert.match(
    stdout,
    /^od -An -N32 -tx1 \/dev\/urandom \| tr -d ' \\n' \| install -m 0640 -g rostrum \/dev\/stdin \/etc\/rostrum\/secret-key$/m,
  );
  assert.match(stdout, /systemctl enable --now rostrum\.socket rostrum\.service\n$/);
});

test("for a user: settings that are there count, and are kept", async () => {
  await using home = await tempFolder();
  const env = { HOME: home.path };
  const folder = home.at(".config/rostrum");
  const first = await runCli(["service", "install", "--user", "--dry-run"], { env });
  const [settings = ""] = Object.keys(filesIn(first.stdout));
  assert.equal(settings, join(folder, "rostrum.env"));
  assert.doesNotMatch(first.stdout, /\/etc\/rostrum|^User=|^Protect|\/var\/lib/m);
  mkdirSync(folder, { recursive: true });
  writeFileSync(settings, "HOST=::1\nPORT=8080\n");
  const again = filesIn((await runCli(["service", "install", "--user", "--dry-run"], { env })).stdout);
  assert.deepEqual(
    Object.keys(again),
    ["rostrum.socket", "rostrum.service"].map((unit) => join(home.path, ".config", "systemd", "user", unit)),
  );
  const [socket = "", unit = ""] = Object.values(again);
  assert.match(socket, /^\[Socket\]\nListenStream=\[::1\]:8080\n\n\[Install\]$/m);
  assert.ok(unit.includes(`\nWorkingDirectory=${folder}\nEnvironmentFile=${settings}\n`));
  assert.match(unit, /^WantedBy=default\.target$/m);
  writeFileSync(settings, "HOST=articles.example.com\n");
  const named = await runCli(["service", "install", "--user", "--dry-run"], { env });
  assert.deepEqual(
    [named.code, named.stdout, named.stderr],
    [78, "", "HOST is articles.example.com: systemd needs an IP address, such as 127.0.0.1 or 0.0.0.0.\n"],
  );
});

test("the printed script does what it says: files, modes and a link", async () => {
  await using home = await tempFolder();
  const { stdout } = await runCli(["service", "install", "--user", "--dry-run"], { env: { HOME: home.path } });
  const { status, stderr } = spawnSync("sh", ["-e"], {
    input: stdout.replaceAll(/^systemctl/gm, "true"),
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const folder = home.at(".config/rostrum");
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, "rostrum.env")).mode & 0o777, 0o600);
  assert.equal(readFileSync(join(folder, ".env"), "utf8"), readFileSync(join(folder, "rostrum.env"), "utf8"));
  const removed = await runCli(["service", "uninstall", "--user", "--dry-run"], { env: { HOME: home.path } });
  spawnSync("sh", ["-e"], { input: removed.stdout.replaceAll(/^systemctl/gm, "true") });
  assert.ok(!existsSync(home.at(".config/systemd/user/rostrum.service")));
  assert.ok(existsSync(join(folder, "rostrum.env")));
});

test("a unit that somebody else wrote is not replaced; nothing is removed where nothing is", async () => {
  await using home = await tempFolder();
  const options = { env: { HOME: home.path } };
  const none = await runCli(["service", "uninstall", "--user", "--dry-run"], options);
  assert.match(none.stderr, /^There is no service in \S+\/systemd\/user\.\n$/);
  mkdirSync(home.at(".config/systemd/user"), { recursive: true });
  writeFileSync(home.at(".config/systemd/user/rostrum.service"), "[Service]\nExecStart=/bin/true\n");
  for (const verb of ["install", "uninstall"]) {
    const { code, stdout, stderr } = await runCli(["service", verb, "--user", "--dry-run"], options);
    assert.equal(code, 1);
    assert.match(stderr, /rostrum\.service was not written by this command: move it away first, or keep using it\.\n$/);
    assert.equal(stdout, "");
  }
});

test("folders with spaces and percent signs, and empty or relative ones", async () => {
  await using home = await tempFolder();
  const env = { HOME: home.path, XDG_CONFIG_HOME: home.at("100% mine"), XDG_DATA_HOME: "relative" };
  const { stdout } = await runCli(["service", "install", "--user", "--dry-run"], { env });
  const folder = home.at("100% mine/rostrum");
  const inUnit = folder.replace("%", "%%");
  assert.ok(stdout.includes(`\nWorkingDirectory=${inUnit}\nEnvironmentFile=${inUnit}/rostrum.env\n`), stdout);
  assert.ok(stdout.includes(`install -d -m 0700 '${folder}'\n`));
  assert.ok(stdout.includes(`\nROSTRUM_DATA_DIR=${home.at(".local/share/rostrum")}\n`));
  const empty = await runCli(["service", "install", "--user", "--dry-run"], { env: { ...env, XDG_CONFIG_HOME: "" } });
  assert.ok(empty.stdout.includes(` ${home.at(".config/rostrum")}\n`));
});

test("only the units that are there are removed", async () => {
  await using home = await tempFolder();
  const env = { HOME: home.path };
  const { stdout } = await runCli(["service", "install", "--user", "--dry-run"], { env });
  const path = home.at(".config/systemd/user/rostrum.service");
  mkdirSync(home.at(".config/systemd/user"), { recursive: true });
  writeFileSync(path, filesIn(stdout)[path] ?? "");
  const removed = await runCli(["service", "uninstall", "--user", "--dry-run"], { env });
  assert.match(removed.stdout, /^systemctl --user disable --now rostrum\.service$/m);
});

test("sudo and --user exclude each other", { skip: process.getuid?.() !== 0 }, async () => {
  const env = { SUDO_UID: "1000" };
  const { code, stderr } = await runCli(["service", "install", "--user", "--dry-run"], { env });
  assert.equal(code, 2);
  assert.match(stderr, /^With sudo, --user would be for root: run the command without sudo\./);
});

test("systemd finds no fault in them", { skip: hasSystemd ? false : "systemd-analyze is not installed" }, async () => {
  await using folder = await tempFolder();
  for (const scope of ["system", "user"]) {
    mkdirSync(folder.at(scope));
    const { stdout } = await runCli(["service", "install", `--${scope}`, "--dry-run"], { env: { HOME: folder.path } });
    const units = Object.entries(filesIn(stdout)).filter(([path]) => path.includes("/systemd/"));
    const paths = units.map(([path, content]) => {
      const copy = folder.at(join(scope, path.slice(path.lastIndexOf("/") + 1)));
      // It looks for all that the unit names.
      writeFileSync(copy, content.replaceAll(/^(?:WorkingDirectory|EnvironmentFile)=.*\n/gm, ""));
      return copy;
    });
    const env = { ...process.env, XDG_RUNTIME_DIR: folder.path };
    const verified = spawnSync("systemd-analyze", [`--${scope}`, "verify", ...paths], { encoding: "utf8", env });
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  }
});

test("without systemd it says what to run instead", { skip: existsSync("/run/systemd/system") }, async () => {
  for (const verb of ["install", "status", "uninstall"]) {
    const { code, stderr } = await runCli(["service", verb]);
    assert.equal(code, 1);
    assert.match(stderr, /^This machine does not run systemd: .* run "node \S+ serve", and end it with SIGTERM\.\n$/);
  }
  const both = await runCli(["service", "install", "--user", "--system"]);
  assert.deepEqual(
    [both.code, both.stderr],
    [2, '--user and --system exclude each other. See "rostrum service install --help".\n'],
  );
});
