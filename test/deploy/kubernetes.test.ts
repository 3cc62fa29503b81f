/** The Helm chart and the manifests that are rendered from it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../src/process/settings/config.ts";
import { SETTINGS } from "../../src/process/settings/settings.ts";
import { CHART, header, render, RENDERED, runHelm } from "../../tools/render-kubernetes.ts";
import { tempFolder } from "../helpers/folder.ts";
import { type Json, record, records } from "../helpers/http.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const WITHOUT_HELM = { skip: missing("helm", "version") };
/** As long as the service may take after it has drained (test/deploy/deploy.test.ts). */
const STOP_S = 20;

function missing(program: string, ...args: string[]): string | false {
  return spawnSync(program, args).error === undefined ? false : `there is no ${program} on the PATH`;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** As Kubernetes reads it: 0440 is octal. */
function objects(text: string): Json[] {
  return parseAllDocuments(text, { version: "1.1" }).map((document) => {
    assert.deepEqual(document.errors, []);
    return record(document.toJS());
  });
}

/** What is at the end of the path of names and indexes. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((one, key) => (typeof key === "number" ? records(one)[key] : record(one)[key]), value);
}

function find(all: Json[], kind: string): Json {
  const found = all.filter((one) => one["kind"] === kind);
  assert.equal(found.length, 1, kind);
  return found[0] ?? {};
}

test("the manifests are rendered from the chart as it is", () => {
  for (const [path, values] of Object.entries(RENDERED)) {
    assert.equal(read(path).split("\n", 1)[0], header(values), `${path}: run npm run generate:kubernetes`);
  }
});

test("helm finds no fault in the chart, and renders the manifests", WITHOUT_HELM, () => {
  for (const [path, values] of Object.entries(RENDERED)) {
    assert.equal(render(values), read(path), path);
    const { status, out, err } = runHelm(["lint", "--strict"], values);
    assert.equal(status, 0, `${path}: ${out}${err}`);
  }
});

test("values that cannot work are refused with a sentence", WITHOUT_HELM, () => {
  const postgres = RENDERED["deploy/kubernetes/postgres/rostrum.yaml"];
  for (const [values, expected] of [
    [{ database: "mysql" }, /must be one of 'sqlite', 'postgres'/],
    [{ replica: 3 }, /'replica' not allowed/],
    [{ ...postgres, replicas: 0 }, /got 0, want 1/],
    [{ ...postgres, secretName: "" }, /set secretName to a Secret/],
    [{ ...postgres, secretSettings: { DATABASE_URL: "a" } }, /name their keys in secretSettings/],
    [{ ...postgres, database: "sqlite" }, /DATABASE_URL is for PostgreSQL: set database=postgres/],
    [{ secretSettings: { SMTP_URL: "a" } }, /Set secretName/],
    [{ autoscaling: { enabled: true } }, /needs several pods: set database=postgres/],
    [{ settings: { PORT: 80 } }, /The chart itself sets PORT/],
    [{ settings: { SMTP_URL: "smtp://u:p@h" } }, /SMTP_URL is a secret: put it into a Secret/],
    [{ settings: { ROSTRUM_SECRET_KEY_FILE: "/x" } }, /name its key in secretSettings\.ROSTRUM_SECRET_KEY/],
  ] as const) {
    const { status, err } = runHelm(["template", "rostrum"], values);
    assert.equal(status, 1);
    assert.match(err, expected);
  }
});

for (const path of Object.keys(RENDERED)) {
  const all = objects(read(path));
  const isPostgres = !path.includes("sqlite");
  const workload = find(all, isPostgres ? "Deployment" : "StatefulSet");
  const pod = record(at(workload, "spec", "template", "spec"));
  const container = record(at(pod, "containers", 0));
  const env = Object.fromEntries(records(container["env"]).map(({ name, value }) => [String(name), value] as const));

  test(`${path}: the service accepts its settings, and all of them are texts`, async () => {
    await using folder = await tempFolder();
    const settings = Object.entries(env).map(([name, value]) => {
      assert.equal(typeof value, "string", name);
      if (!name.endsWith("_FILE")) return [name, String(value)] as const;
      const [, key = ""] = /^\/run\/secrets\/rostrum\/([\w-]+)$/.exec(String(value)) ?? [];
      const secrets: Record<string, string> = {
        "database-url": "postgres://rostrum@db/rostrum",
        "secret-key": "0123456789abcdef".repeat(4),
        "smtp-url": "smtp://mail.example.com",
      };
      assert.ok(secrets[key] !== undefined, String(value));
      writeFileSync(folder.at(key), secrets[key]);
      return [name, folder.at(key)] as const;
    });
    const config = readConfig(Object.fromEntries(settings), folder.path);
    assert.deepEqual(config.ignoredSettings, []);
    assert.equal(config.database.kind, isPostgres ? "postgres" : "sqlite");
    assert.deepEqual([config.host, config.port, config.metricsPort], ["0.0.0.0", 4_000, 14_000]);
    assert.equal(config.secretKey !== null, isPostgres);
  });

  test(`${path}: a pod that ends is given the time to drain, and readiness, not liveness, depends on the database`, () => {
    const drainS = Number(env["ROSTRUM_DRAIN_SECONDS"]);
    assert.ok(Number(pod["terminationGracePeriodSeconds"]) > drainS + STOP_S);
    const probes = ["startupProbe", "livenessProbe", "readinessProbe"].map((name) => at(container, name, "httpGet"));
    assert.deepEqual(probes, [
      { path: "/healthz", port: "metrics" },
      { path: "/healthz", port: "metrics" },
      { path: "/readyz", port: "metrics" },
    ]);
    assert.deepEqual(container["ports"], [
      { name: "http", containerPort: 4_000 },
      { name: "metrics", containerPort: 14_000 },
    ]);
    if (isPostgres) {
      assert.deepEqual(at(workload, "spec", "strategy", "rollingUpdate"), { maxUnavailable: 0, maxSurge: 1 });
    } else assert.equal(at(workload, "spec", "replicas"), 1);
  });

  test(`${path}: the pod meets the restricted standard, and can write only to its data and /tmp`, () => {
    const { runAsNonRoot, runAsUser, fsGroup, seccompProfile } = record(pod["securityContext"]);
    assert.deepEqual(
      [runAsNonRoot, runAsUser, fsGroup, seccompProfile],
      [true, 1_000, 1_000, { type: "RuntimeDefault" }],
    );
    assert.deepEqual(container["securityContext"], {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    assert.equal(pod["automountServiceAccountToken"], false);
    // They would have variables such as ROSTRUM_PORT, which the service reports as unknown settings.
    assert.equal(pod["enableServiceLinks"], false);
    const claims = isPostgres ? [] : records(at(workload, "spec", "volumeClaimTemplates"));
    const volumes = [
      ...records(pod["volumes"]).map(({ name }) => name),
      ...claims.map((one) => at(one, "metadata", "name")),
    ];
    const mounts = records(container["volumeMounts"]);
    assert.deepEqual(new Set(mounts.map(({ name }) => name)), new Set(volumes));
    const writable = mounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath);
    assert.deepEqual(writable, ["/data", "/tmp"]);
    assert.ok(String(env["ROSTRUM_DATA_DIR"]).startsWith("/data/"));
    // The group of the pod reads them, and nobody else: doctor would report it.
    for (const one of records(pod["volumes"])) {
      if (one["secret"] !== undefined) assert.equal(at(one, "secret", "defaultMode"), 0o440);
    }
  });

  test(`${path}: whatever selects pods selects these, and names a port that they have`, () => {
    const labels = record(at(workload, "spec", "template", "metadata", "labels"));
    const selectors = all.flatMap(({ kind, spec }) => {
      if (kind === "Service") return [at(spec, "selector")];
      if (kind === "NetworkPolicy") return [at(spec, "podSelector", "matchLabels")];
      return kind === "Ingress" || kind === "HorizontalPodAutoscaler" ? [] : [at(spec, "selector", "matchLabels")];
    });
    assert.ok(selectors.length >= 2);
    for (const selector of selectors) {
      const wanted = Object.entries(record(selector));
      assert.ok(wanted.length === 2 && wanted.every(([label, value]) => labels[label] === value));
    }
    assert.equal(at(find(all, "Service"), "spec", "ports", 0, "targetPort"), "http");
    const names = new Set(all.map((one) => at(one, "metadata", "name")));
    assert.deepEqual([...names], ["rostrum"]);
  });
}

test("with every option there is each kind of object, and they fit together", () => {
  const all = objects(read("test/deploy/kubernetes/every-option.yaml"));
  assert.deepEqual(
    new Set(all.map(({ kind }) => kind)),
    new Set([
      "Deployment",
      "HorizontalPodAutoscaler",
      "Ingress",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "PodMonitor",
      "Service",
    ]),
  );
  // It would undo what the autoscaler has decided.
  assert.equal(at(find(all, "Deployment"), "spec", "replicas"), undefined);
  assert.deepEqual(at(find(all, "HorizontalPodAutoscaler"), "spec", "scaleTargetRef"), {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "rostrum",
  });
  const backend = at(find(all, "Ingress"), "spec", "rules", 0, "http", "paths", 0, "backend", "service");
  assert.deepEqual(backend, { name: "rostrum", port: { name: "http" } });
  const allowed = records(at(find(all, "NetworkPolicy"), "spec", "ingress"));
  assert.deepEqual(
    allowed.map(({ ports, from }) => [at(ports, 0, "port"), records(from).length]),
    [
      ["http", 1],
      ["metrics", 1],
    ],
  );
  // The alerts of deploy/prometheus-rules.yaml are for this job.
  const [endpoint] = records(at(find(all, "PodMonitor"), "spec", "podMetricsEndpoints"));
  assert.deepEqual(endpoint?.["relabelings"], [{ targetLabel: "job", replacement: "rostrum" }]);
  // A float would be 1e+06.
  assert.match(read("test/deploy/kubernetes/every-option.yaml"), /ROSTRUM_RATE_LIMIT, value: "1000000"/);
});

test(
  "kubectl builds both folders with an image and an address of your own",
  { skip: missing("kubectl", "version", "--client") },
  () => {
    for (const kind of ["sqlite", "postgres"]) {
      const folder = join(ROOT, "deploy", "kubernetes", kind);
      const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", folder], { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /image: registry\.example\.com\/rostrum:\d/);
      assert.match(stdout, /- name: ROSTRUM_PUBLIC_URL\n +value: https:\/\/articles\.example\.com\n/);
    }
  },
);

test("the chart has the version of the package, and its texts name only settings and files that there are", () => {
  const { version } = record(JSON.parse(read("package.json")));
  const chart = record(parse(read("deploy/helm/rostrum/Chart.yaml")));
  assert.deepEqual([chart["version"], chart["appVersion"]], [version, version]);
  const texts = globSync("deploy/{helm,kubernetes}/**/*.{md,yaml,tpl,txt}", { cwd: ROOT });
  assert.ok(texts.length > 12);
  for (const path of texts) {
    for (const [name] of read(path).matchAll(/\b(?:ROSTRUM_[A-Z0-9_]*[A-Z0-9]|DATABASE_URL|SMTP_URL)\b/g)) {
      assert.ok(name in SETTINGS, `${path}: ${name}`);
    }
  }
  for (const [, target = ""] of read("deploy/helm/rostrum/README.md").matchAll(/\]\(([^)#]+)/g)) {
    assert.ok(existsSync(join(CHART, target)), target);
  }
});
