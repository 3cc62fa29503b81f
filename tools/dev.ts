/**
 * `npm run dev`: runs the demonstration, restarted on every change of src/ or demo/, behind Vite's server of the dashboard,
 * which updates the open page on every change of dashboard/. One URL serves both, as in production: http://127.0.0.1:4000, or
 * the port in PORT. Data is kept in .cache/dev.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createVite } from "vite";
import { buildDashboard } from "./build-dashboard.ts";

const ROOT = join(import.meta.dirname, "..");
// oxlint-disable-next-line no-restricted-properties -- the same setting as the service's
const PORT = Number(process.env["PORT"] ?? 4000);

// The demonstration prints the link for the first sign-in only if the dashboard is built.
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
    // oxlint-disable-next-line no-restricted-properties -- passed on, with the public URL
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
