/**
 * `npm run dev`: the demonstration, restarted on every change of src/ or demo/, and before it the dashboard as it is
 * written, replaced in the open page on every change of dashboard/. One address for both, as in the finished service:
 * http://127.0.0.1:4000, or that of PORT. Data stays in .cache/dev.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createVite } from "vite";
import { buildDashboard } from "./build-dashboard.ts";

const ROOT = join(import.meta.dirname, "..");
// oxlint-disable-next-line no-restricted-properties -- the setting that the service has
const PORT = Number(process.env["PORT"] ?? 4000);

// The demonstration prints the link for the first sign-in only where there are screens.
await buildDashboard();
const servicePort = await freePort();
const service = `http://127.0.0.1:${servicePort}`;
const vite = await createVite({
  configFile: join(ROOT, "dashboard", "vite.config.ts"),
  configLoader: "native",
  logLevel: "warn",
  plugins: [
    {
      name: "address-without-slash",
      configureServer: ({ middlewares }) => {
        middlewares.use((req, _res, next) => {
          if (req.url === "/dashboard") req.url = "/dashboard/";
          next();
        });
      },
    },
  ],
  server: {
    host: "127.0.0.1",
    port: PORT,
    strictPort: true,
    proxy: { "^/(?!dashboard(/|$))": service, "^/dashboard/api/": service },
  },
});
await vite.listen();
const address = `http://127.0.0.1:${PORT}`;
process.stdout.write(`The dashboard, changing with its sources: ${address}/dashboard\n`);
const demo = spawn(
  process.execPath,
  [
    "--watch-path=src",
    "--watch-path=demo",
    "--watch-preserve-output",
    "bin/rostrum.js",
    "demo",
    "--data",
    ".cache/dev",
  ],
  {
    cwd: ROOT,
    stdio: "inherit",
    // oxlint-disable-next-line no-restricted-properties -- handed on, with the address that people see
    env: { ...process.env, PORT: String(servicePort), ROSTRUM_PUBLIC_URL: address },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => demo.kill(signal));
await once(demo, "exit");
await vite.close();

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
