/**
 * `npm run generate:kubernetes` renders the Helm chart into the manifests of deploy/kubernetes, and into one with every option for the
 * tests. It needs helm. Each file names what it was rendered from, so that a test sees without helm whether it is outdated.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
export const CHART = join(ROOT, "deploy", "helm", "rostrum");
/** Files, and the values from which each is rendered. */
export const RENDERED = {
  "deploy/kubernetes/sqlite/rostrum.yaml": {},
  "deploy/kubernetes/postgres/rostrum.yaml": {
    database: "postgres",
    secretName: "rostrum",
    secretSettings: { DATABASE_URL: "database-url", ROSTRUM_SECRET_KEY: "secret-key" },
  },
  "test/deploy/kubernetes/every-option.yaml": {
    image: {
      repository: "registry.example.com/rostrum",
      tag: "1.2.3",
      pullPolicy: "Always",
      pullSecrets: [{ name: "pull" }],
    },
    database: "postgres",
    secretName: "rostrum",
    secretSettings: { DATABASE_URL: "database-url", ROSTRUM_SECRET_KEY: "secret-key", SMTP_URL: "smtp-url" },
    settings: { ROSTRUM_PUBLIC_URL: "https://articles.example.com", ROSTRUM_RATE_LIMIT: 1_000_000 },
    drainSeconds: 15,
    startSeconds: 61,
    autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 9, cpuPercent: 60 },
    service: { type: "LoadBalancer", port: 8080, annotations: { "example.com/kind": "internal" } },
    ingress: {
      enabled: true,
      className: "nginx",
      annotations: { "example.com/size": "16m" },
      tlsSecret: "articles-tls",
    },
    networkPolicy: {
      enabled: true,
      readers: [{ namespaceSelector: { matchLabels: { name: "ingress" } } }],
      monitoring: [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }],
    },
    podMonitor: { enabled: true, interval: "30s", labels: { release: "prometheus" } },
    podAnnotations: { "example.com/owner": "editors" },
    nodeSelector: { "kubernetes.io/arch": "amd64" },
    tolerations: [{ key: "dedicated", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
  },
} as const;

/** `command`: such as `template`. Its exit code is null if there is no helm. */
export function runHelm(
  command: readonly string[],
  values: object,
): { status: number | null; out: string; err: string } {
  const args = [...command, CHART, "--values", "-"];
  const { status, stdout, stderr } = spawnSync("helm", args, { input: JSON.stringify(values), encoding: "utf8" });
  return { status, out: stdout, err: stderr };
}

/** @throws Error with what helm finds wrong. */
export function render(values: object): string {
  const { status, out, err } = runHelm(["template", "rostrum"], values);
  if (status !== 0) throw new Error(err ?? "There is no helm on the PATH: install it, and try again.");
  // Without Helm they would be wrong.
  const lines = out
    .split("\n")
    .filter((line) => !/^ *(?:helm\.sh\/chart|app\.kubernetes\.io\/managed-by): /.test(line));
  return `${header(values)}\n${lines.join("\n")}`;
}

export function header(values: object): string {
  return `# Rendered from deploy/helm/rostrum by "npm run generate:kubernetes": ${fingerprint(values)}`;
}

/** Of the values, and of the chart but for its version, which each release changes everywhere. */
function fingerprint(values: object): string {
  const hash = createHash("sha256").update(JSON.stringify(values));
  for (const name of ["values.yaml", ...globSync("templates/*", { cwd: CHART })].toSorted()) {
    hash.update(`\n${name}\n`).update(readFileSync(join(CHART, name)));
  }
  return hash.digest("hex").slice(0, 16);
}

if (import.meta.main) {
  for (const [path, values] of Object.entries(RENDERED)) writeFileSync(join(ROOT, path), render(values));
}
