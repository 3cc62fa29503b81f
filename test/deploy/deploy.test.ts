/** deploy/ and docs/operate.md: they name only what there is, and programs that are here find no fault in them. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../src/process/settings/config.ts";
import { makeCertificate } from "../helpers/certificates.ts";
import { type Folder, tempFolder } from "../helpers/folder.ts";
import { record } from "../helpers/http.ts";
import { PAUSE_MS } from "../rolling-restart/rounds.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const DEPLOY = join(ROOT, "deploy");
const GUIDE = read("docs/operate.md");
/** Without the folders: ci/ is in ci.test.ts, helm/ and kubernetes/ are in kubernetes.test.ts. */
const FILES = readdirSync(DEPLOY, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function all(text: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([whole, found]) => found ?? whole))];
}

/** Everything that an operator copies or reads. */
const TEXTS = [
  ["docs/operate.md", GUIDE],
  ...FILES.map((name) => [`deploy/${name}`, read(`deploy/${name}`)] as const),
] as const;

for (const [name, text] of TEXTS) {
  test(`${name} names only settings that the service reads`, () => {
    const known = globSync("src/process/settings/*.ts", { cwd: ROOT }).map(read).join("");
    const settings = all(text, /(?<![\w$])(?:ROSTRUM_[A-Z_]*[A-Z]|DATABASE_URL(?:_FILE)?)\b/g);
    const unknown = settings.filter((setting) => !known.includes(`"${setting.replace(/_FILE$/, "")}"`));
    assert.deepEqual(unknown, []);
  });
}

test("the guide installs the package into a folder for each version, never where a service runs", () => {
  const commands = all(GUIDE, /^[^\n]*\bnpm (?:ci|install)\b[^\n`]*$/gm).filter((line) => line.startsWith("sudo"));
  assert.ok(commands.length > 0);
  for (const command of commands) {
    assert.match(command, /^sudo npm install --prefix "\$release" ~\/rostrum-\d+\.\d+\.\d+\.tgz$/);
  }
});

test("the guide and the files name only files of deploy that there are", () => {
  for (const [name, text] of TEXTS) {
    for (const file of all(text, /(?<![\w/])deploy\/([\w@.]*\w)/g))
      assert.ok(file === "secrets" || existsSync(join(DEPLOY, file)), `${name}: ${file}`);
  }
});

const INSTRUCTIONS = new Set(
  "ARG FROM WORKDIR COPY RUN USER ENV VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD".split(" "),
);

test("the Dockerfile has only known instructions, and copies what exists and what the builder is given", () => {
  const lines = read("deploy/Dockerfile")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const given = read("deploy/Dockerfile.dockerignore").split("\n");
  for (const line of lines) {
    const [instruction = "", ...words] = line.trim().split(/\s+/);
    assert.ok(INSTRUCTIONS.has(instruction), line);
    if (instruction !== "COPY" || words[0]?.startsWith("--from=") === true) continue;
    for (const source of words.slice(0, -1)) {
      const path = source.replace(/^\.\/(?=.)/, "");
      assert.ok(existsSync(join(ROOT, path)), line);
      const isGiven = given.some((rule) => `!${path}` === rule || `!${path}`.startsWith(`${rule}/`));
      assert.ok(isGiven, `${source} is not given to the builder`);
    }
  }
  for (const needed of [/^USER node$/m, /^STOPSIGNAL SIGTERM$/m, /^EXPOSE 4000$/m, /\/healthz/, /HOST=0\.0\.0\.0/]) {
    assert.match(lines.join("\n"), needed);
  }
});

test("the image has the Node that npm brings elsewhere", () => {
  const programs = Object.entries(record(record(JSON.parse(read("runtime/package.json")))["optionalDependencies"]));
  const versions = programs.filter(([name]) => name.startsWith("node-")).map(([, version]) => version);
  assert.deepEqual(new Set(all(read("deploy/Dockerfile"), /^ARG NODE=(.+)$/gm)), new Set(versions));
});

test("the units and the image start Node as the launcher would, which then need not start it again", () => {
  const lean = read("bin/lean.js");
  const allocator = all(lean, /^ {2}(MALLOC_\w+: "\d+"),$/gm)
    .map((line) => line.replaceAll(/: "(\d+)"/g, "=$1"))
    .join(" ");
  const flags = JSON.parse(/LEAN_FLAGS = (\[.+\]);/.exec(lean)?.[1] ?? "") as string[];
  assert.match(allocator, /^MALLOC_ARENA_MAX=/);
  for (const unit of ["rostrum.service", "rostrum@.service"]) {
    const lines = read(`deploy/${unit}`).split("\n");
    for (const setting of allocator.split(" ")) assert.ok(lines.includes(`Environment=${setting}`), unit);
    assert.ok(
      lines.includes(`ExecStart=/opt/rostrum/runtime/bin/node ${flags.join(" ")} /opt/rostrum/bin/rostrum.js serve`),
      unit,
    );
  }
  const image = read("deploy/Dockerfile").split("\n");
  assert.ok(image.includes(`ENV ${allocator}`));
  assert.ok(
    image.includes(`ENTRYPOINT ["node", ${flags.map((flag) => `"${flag}"`).join(", ")}, "/app/bin/rostrum.js"]`),
  );
});

test("the health check of the image passes on 200, and fails on anything else and where nothing answers", async () => {
  const code = /"-e", "(.+)"\]/.exec(read("deploy/Dockerfile"))?.[1] ?? "";
  let status = 200;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const check = async (env: Record<string, string> = { PORT: String(port) }) => {
    const child = spawn(process.execPath, ["-e", code], { env, stdio: "inherit" });
    const [exit] = (await once(child, "exit")) as [number | null];
    return exit;
  };
  try {
    assert.equal(await check(), 0);
    status = 503;
    assert.equal(await check(), 1);
    status = 200;
    assert.equal(await check({ PORT: "1", ROSTRUM_METRICS_PORT: String(port) }), 0);
  } finally {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
  assert.equal(await check(), 1);
  assert.deepEqual(asked, ["/healthz", "/healthz", "/healthz"]);
});

test("compose.yaml is YAML whose services, secrets, volumes and files exist", () => {
  const compose = record(parse(read("deploy/compose.yaml"), { merge: true }));
  const services = record(compose["services"]);
  const secrets = record(compose["secrets"]);
  for (const [name, value] of Object.entries(services)) {
    const service = record(value, name);
    for (const other of Object.keys(record(service["depends_on"] ?? {}))) assert.ok(other in services, other);
    for (const secret of service["secrets"] as string[]) assert.ok(secret in secrets, secret);
    for (const path of Object.values(record(service["environment"]))) {
      const secret = /^\/run\/secrets\/(.+)$/.exec(String(path))?.[1];
      if (secret !== undefined) assert.ok((service["secrets"] as string[]).includes(secret), `${name}: ${secret}`);
    }
    for (const volume of (service["volumes"] ?? []) as string[]) {
      assert.ok((volume.split(":", 1)[0] ?? "") in record(compose["volumes"]), volume);
    }
    if (service["build"] !== undefined) {
      const { context, dockerfile } = record(service["build"]);
      assert.ok(existsSync(join(DEPLOY, String(context), String(dockerfile))));
    }
  }
  for (const secret of Object.values(secrets)) assert.ok(GUIDE.includes(String(record(secret)["file"]).slice(2)));
});

test("every process can write its data folder, and those on PostgreSQL are told of a folder for pictures that all of them see", () => {
  for (const unit of ["rostrum.service", "rostrum@.service"]) {
    const text = read(`deploy/${unit}`);
    assert.match(text, /^ProtectSystem=strict$/m);
    assert.match(text, /^StateDirectory=rostrum$/m, unit);
    assert.match(text, /^Environment=ROSTRUM_DATA_DIR=\/var\/lib\/rostrum$/m, unit);
  }
  assert.match(read("deploy/rostrum.env"), /^# ROSTRUM_ASSETS=\/var\/lib\/rostrum\//m);
  const services = Object.values(record(record(parse(read("deploy/compose.yaml"), { merge: true }))["services"]));
  const processes = services.map((service) => record(service)).filter(({ build }) => build !== undefined);
  assert.equal(processes.length, 2);
  for (const { volumes, environment } of processes) {
    assert.deepEqual(volumes, ["data:/data"]);
    assert.equal(record(environment)["ROSTRUM_ASSETS"], "/data/assets");
  }
});

test("the ports of compose.yaml and of the guide's units are those that HAProxy asks", () => {
  const asked = all(read("deploy/haproxy.cfg"), /^ {4}server \w+ 127\.0\.0\.1:(\d+)/gm);
  assert.deepEqual(asked, ["4001", "4002"]);
  assert.deepEqual(all(read("deploy/compose.yaml"), /"127\.0\.0\.1:(\d+):4000"/g), asked);
  assert.deepEqual(all(GUIDE, /rostrum@(\d+)/g), asked);
});

test("the proxies let go of idle connections before the service does", () => {
  const keepAliveS =
    Number(/idleTimeoutMs: ([\d_]+)/.exec(read("src/http/connection/connections.ts"))?.[1]?.replace("_", "")) / 1_000;
  const nginx = read("deploy/nginx.conf");
  const haproxy = read("deploy/haproxy.cfg");
  const idle = /upstream rostrum \{[^}]*keepalive_timeout (\d+)s/.exec(nginx)?.[1];
  const purged = /pool-purge-delay (\d+)s/.exec(haproxy)?.[1];
  assert.ok(Number(idle) < keepAliveS && Number(purged) < keepAliveS);
  assert.match(nginx, /gzip off;/);
});

test("whoever stops the service waits longer than it takes, and the proxies use it again before the next one stops", () => {
  const drainS = readConfig({}, "/").drainMs / 1_000;
  const stopS =
    drainS + Number(/STOP_TIMEOUT_MS = ([\d_]+)/.exec(read("src/cli/serve.ts"))?.[1]?.replace("_", "")) / 1_000;
  assert.equal(stopS, 25);
  const waits = [
    ...all(read("deploy/rostrum.service"), /^TimeoutStopSec=(\d+)$/gm),
    ...all(read("deploy/rostrum@.service"), /^TimeoutStopSec=(\d+)$/gm),
    ...all(read("deploy/compose.yaml"), /stop_grace_period: (\d+)s/g),
    ...all(GUIDE, /(?:--stop-timeout|terminationGracePeriodSeconds:) (\d+)/g),
  ].map(Number);
  assert.ok(waits.length >= 4 && waits.every((wait) => wait > stopS), String(waits));
  const loop = /^for port in [^]*?^done$/m.exec(GUIDE)?.[0] ?? "";
  // As the unit sets it.
  assert.ok(loop.includes("127.0.0.1:1$port/readyz"));
  const pauseS = Number(/^ {2}sleep (\d+)$/m.exec(loop)?.[1]);
  assert.equal(pauseS, PAUSE_MS / 1_000);
  const leftOutS = all(read("deploy/nginx.conf"), /fail_timeout=(\d+)s/g).map(Number);
  assert.deepEqual(
    leftOutS.map((seconds) => seconds < pauseS),
    [true],
  );
});

test("health and metrics have a port of their own everywhere, which HAProxy asks and no proxy passes on", () => {
  const haproxy = read("deploy/haproxy.cfg");
  assert.deepEqual(all(haproxy, /^ {4}server \w+ 127\.0\.0\.1:\d+ port (\d+)/gm), ["14001", "14002"]);
  assert.deepEqual(all(read("deploy/compose.yaml"), /"127\.0\.0\.1:(\d+):14000"/g), ["14001", "14002"]);
  assert.match(read("deploy/compose.yaml"), /ROSTRUM_METRICS_PORT: "14000"/);
  assert.match(read("deploy/rostrum@.service"), /^Environment=ROSTRUM_METRICS_PORT=1%i$/m);
  assert.match(read("deploy/rostrum.env"), /^ROSTRUM_METRICS_PORT=14000$/m);
  assert.doesNotMatch(read("deploy/nginx.conf"), /:14\d{3}/);
  for (const file of ["compose.yaml", "rostrum.env"]) assert.match(read(`deploy/${file}`), /ROSTRUM_TRUST_PROXY/);
  // Whoever is named there is believed.
  for (const proxy of ["nginx.conf", "haproxy.cfg"]) {
    assert.match(read(`deploy/${proxy}`), /set.header X-Forwarded-For (?:\$remote_addr;|%\[src\])/);
  }
});

test("nginx.conf has as many braces that close as open", () => {
  let depth = 0;
  for (const brace of read("deploy/nginx.conf").replaceAll(/#.*$/gm, "").matchAll(/[{}]/g)) {
    depth += brace[0] === "{" ? 1 : -1;
    assert.ok(depth >= 0);
  }
  assert.equal(depth, 0);
});

/** Runs the program, which must find no fault. */
function lint(program: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

function missing(program: string): string | false {
  const folders = `${process.env["PATH"]}:/usr/sbin`.split(":");
  return folders.some((folder) => existsSync(join(folder, program))) ? false : `${program} is not installed`;
}

function writeCertificate(folder: Folder): void {
  const { cert, key } = makeCertificate({ hosts: ["articles.example.com"] });
  writeFileSync(folder.at("fullchain.pem"), cert);
  writeFileSync(folder.at("key.pem"), key);
  writeFileSync(folder.at("articles.example.com.pem"), cert + key);
}

test("HAProxy finds no fault in haproxy.cfg", { skip: missing("haproxy") }, async () => {
  await using folder = await tempFolder();
  writeCertificate(folder);
  writeFileSync(folder.at("haproxy.cfg"), read("deploy/haproxy.cfg").replace("/etc/haproxy/tls", folder.path));
  lint("/usr/sbin/haproxy", ["-c", "-f", folder.at("haproxy.cfg")]);
});

test("nginx finds no fault in nginx.conf", { skip: missing("nginx") }, async () => {
  await using folder = await tempFolder();
  writeCertificate(folder);
  let sockets = 0;
  // Checking, nginx opens what it would listen on.
  const config = read("deploy/nginx.conf")
    .replaceAll("/etc/nginx/tls", folder.path)
    .replace("/var/log/nginx", folder.path)
    .replaceAll(/listen (?:\[::\]:)?\d+/g, () => `listen unix:${folder.at(`${++sockets}.sock`)}`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder.at(kind)};`)
    .join("\n");
  writeFileSync(
    folder.at("whole.conf"),
    `pid ${folder.at("pid")};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${config}}\n`,
  );
  lint("/usr/sbin/nginx", ["-t", "-e", folder.at("errors"), "-c", folder.at("whole.conf")]);
});

test("the port that systemd holds is that of the sample settings", () => {
  const [host] = all(read("deploy/rostrum.env"), /^HOST=(.*)$/gm);
  const ports = all(read("deploy/rostrum.env"), /^(?:PORT|ROSTRUM_METRICS_PORT)=(.*)$/gm);
  assert.deepEqual(
    all(read("deploy/rostrum.socket"), /^ListenStream=(.*)$/gm),
    ports.map((port) => `${host}:${port}`),
  );
});

for (const unit of ["rostrum.service", "rostrum@.service"]) {
  test(`systemd finds no fault in ${unit}`, { skip: missing("systemd-analyze") }, async () => {
    await using folder = await tempFolder();
    // It looks for the program where the unit says.
    const text = read(`deploy/${unit}`).replaceAll(
      /^(Exec\w+)=\S+ .+ serve( --takeover)?$/gm,
      `$1=${process.execPath} serve$2`,
    );
    assert.ok(text.includes(process.execPath));
    const name = unit.replace("@", "@4001");
    writeFileSync(folder.at(name), text);
    lint("systemd-analyze", ["verify", folder.at(name)]);
  });
}
