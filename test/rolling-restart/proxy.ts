/** The proxies of deploy/, each in front of the processes of a test: the shipped file, with other ports and folders. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../helpers/certificates.ts";
import type { Folder } from "../helpers/folder.ts";
import { freePort } from "../helpers/postgres-server.ts";
import { ended, leash } from "../helpers/processes.ts";
import { until } from "../helpers/until.ts";

export const PROXIES = ["nginx", "haproxy"] as const;
export type ProxyName = (typeof PROXIES)[number];

/** The name in the shipped files. */
export const HOST = "articles.example.com";

/** A process behind the proxy, by its ports. */
export interface Backend {
  port: number;
  healthPort: number;
}

export interface Proxy extends AsyncDisposable {
  /** For TLS, on 127.0.0.1. */
  port: number;
  /** Of `HOST`; it is its own authority. */
  certificate: Certificate;
}

const PROGRAMS = { nginx: "/usr/sbin/nginx", haproxy: "/usr/sbin/haproxy" };

export function isInstalled(name: ProxyName): boolean {
  return existsSync(PROGRAMS[name]);
}

/** Resolves once it listens. `folder` keeps its files. */
export async function startProxy(name: ProxyName, backends: readonly Backend[], folder: Folder): Promise<Proxy> {
  const port = await freePort();
  const certificate = makeCertificate({ hosts: [HOST] });
  const child = leash(
    name === "nginx"
      ? startNginx(backends, folder, port, certificate)
      : startHaproxy(backends, folder, port, certificate),
  );
  const over = ended(child);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    said += part;
  });
  try {
    await until(`${name} listens`, () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
      return canConnect(port);
    });
  } catch (error) {
    child.kill("SIGKILL");
    await over;
    throw error;
  }
  return {
    port,
    certificate,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await over;
    },
  };
}

function startNginx(
  backends: readonly Backend[],
  folder: Folder,
  port: number,
  { cert, key }: Certificate,
): ChildProcess {
  writeFileSync(folder.at("fullchain.pem"), cert);
  writeFileSync(folder.at("key.pem"), key);
  const servers = (text: string) =>
    backends.map((backend) => `    server 127.0.0.1:${backend.port} ${/max_fails.*/.exec(text)?.[0]}\n`).join("");
  const shipped = readFileSync(join(import.meta.dirname, "../../deploy/nginx.conf"), "utf8")
    .replace(/(?:^ +(?:# )?server 127\.0\.0\.1:.*\n)+/m, servers)
    .replaceAll(/^ +listen \[::\].*\n/gm, "")
    .replace("listen 80;", `listen unix:${folder.at("redirects.sock")};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replaceAll("/etc/nginx/tls", folder.path)
    .replace("/var/log/nginx", folder.path);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder.at(kind)};`,
  );
  const whole = [
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    "daemon off;",
    "worker_processes 2;",
    `pid ${folder.at("pid")};`,
    "events {}",
    `http {\n${temporary.join("\n")}\n${shipped}}\n`,
  ];
  writeFileSync(folder.at("nginx.conf"), whole.join("\n"));
  return spawn(PROGRAMS.nginx, ["-e", folder.at("errors.log"), "-c", folder.at("nginx.conf")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

function startHaproxy(
  backends: readonly Backend[],
  folder: Folder,
  port: number,
  { cert, key }: Certificate,
): ChildProcess {
  writeFileSync(folder.at("articles.example.com.pem"), cert + key);
  const shipped = readFileSync(join(import.meta.dirname, "../../deploy/haproxy.cfg"), "utf8")
    .replaceAll(/(?:^ +server .*\n)+/gm, (text) => {
      const isTracking = text.includes(" track ");
      const lines = backends.map(
        (backend, at) =>
          `    server s${at} 127.0.0.1:${backend.port} ${isTracking ? `track rostrum/s${at}` : `port ${backend.healthPort}`}\n`,
      );
      return lines.join("");
    })
    .replace(/^ +bind :80\n/m, "")
    .replace("bind :443", `bind 127.0.0.1:${port}`)
    .replace("/etc/haproxy/tls", folder.path);
  writeFileSync(folder.at("haproxy.cfg"), shipped);
  return spawn(PROGRAMS.haproxy, ["-db", "-f", folder.at("haproxy.cfg")], { stdio: ["ignore", "ignore", "pipe"] });
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
