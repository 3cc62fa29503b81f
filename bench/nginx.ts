/** nginx, which sends the same bodies as files to clients with the key: the fastest server that operators know. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { BareAnswer } from "./bare.ts";
import { CORE, freePort, startChild } from "./processes.ts";
import { get, type Server } from "./servers.ts";

const NGINX = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path));

export const hasNginx = NGINX !== undefined;

/** `answers`: the paths may have queries, but must differ without them. */
export async function startNginx(key: string, answers: readonly BareAnswer[]): Promise<Server> {
  if (NGINX === undefined) throw new Error("nginx is not installed");
  const folder = await mkdtemp(join(tmpdir(), "rostrum-bench-nginx-"));
  await using owned = new AsyncDisposableStack();
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  for (const { path, identity, gzip } of answers) {
    const file = join(folder, "files", `${new URL(path, "http://x").pathname}.json`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.from(identity.body, "base64"));
    await writeFile(`${file}.gz`, Buffer.from(gzip.body, "base64"));
  }
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  await writeFile(config, configuration(folder, port, key));
  // In a process of its own that root started, nginx would read the files as another user.
  const child = startChild([NGINX, "-e", join(folder, "errors"), "-c", config], {
    core: CORE.server,
    stdio: ["ignore", "ignore", "inherit"],
  });
  owned.defer(() => child.stop());
  for (let tries = 0; ; tries++) {
    try {
      const { status } = await get(port, answers[0]?.path ?? "/", { "X-API-Key": "another" });
      if (status !== 401) throw new Error(`nginx answers ${status} to an unknown key`);
      break;
    } catch (error) {
      if (tries === 100) throw error;
      await wait(50);
    }
  }
  const cleanup = owned.move();
  return { port, pid: child.pid, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

/** One process, as with Rostrum; nginx keeps files open and caches whether they have changed. */
function configuration(folder: string, port: number, key: string): string {
  return `
daemon off;
master_process off;
pid ${folder}/pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  keepalive_timeout 72s;
  open_file_cache max=4000 inactive=600s;
  open_file_cache_valid 600s;
  gzip_static on;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  map $http_x_api_key $is_known { default 0; "${key}" 1; }
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    default_type "application/json; charset=utf-8";
    if ($is_known = 0) { return 401; }
    location / { try_files $uri.json =404; }
  }
}
`;
}
