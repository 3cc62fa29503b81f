/** The settings as given: in the environment, in `.env`, and in files named by `<name>_FILE`. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { getErrorCode } from "../../domain/system/errors.ts";
import { didYouMean } from "../../domain/system/suggest.ts";
import { describeHome } from "./file-places.ts";
import { type Kind, otelFlag } from "./setting-values.ts";
import { type SettingName, SETTINGS } from "./settings.ts";

const { parseEnv } = process.getBuiltinModule("node:util");

/** Settings that may also be given as files: `<name>_FILE`. */
const SECRETS = [
  "ROSTRUM_SECRET_KEY",
  "ROSTRUM_SECRET_KEY_PREVIOUS",
  "DATABASE_URL",
  "SMTP_URL",
  "ROSTRUM_S3_SECRET_ACCESS_KEY",
  "OTEL_EXPORTER_OTLP_HEADERS",
] as const;
const PREFIX = "ROSTRUM_";
const PATHS = ["ROSTRUM_DATA_DIR", "ROSTRUM_ASSETS", "ROSTRUM_BACKUP_URL", "DATABASE_URL"] as const;
const COLLECTOR_SETTINGS = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
] as const;

export type Environment = Record<string, string | undefined>;

export type SettingReader = <T, F>(name: SettingName, fallback: F, kind: Kind<T>) => T | F;

/** What `environment` lacks is read from `.env`. Adds to `problems` what cannot be read. */
export function readEnvironment(environment: Environment, directory: string, problems: string[]): Environment {
  const settings = { ...readEnvFile(join(directory, ".env"), problems), ...withoutEmpty(environment) };
  if (!hasCollector(settings)) {
    for (const name of Object.keys(settings)) if (name.startsWith("OTEL_")) delete settings[name];
  }
  for (const name of [...PATHS, ...SECRETS.map((secret) => `${secret}_FILE`)]) {
    const home = describeHome(name, settings[name] ?? "");
    if (home === null) continue;
    problems.push(home);
    delete settings[name];
  }
  for (const name of SECRETS) {
    const file = settings[`${name}_FILE`];
    if (file !== undefined) settings[name] ??= readSecretFile(`${name}_FILE`, resolve(directory, file), problems);
  }
  return settings;
}

/** OpenTelemetry's variables are often set for every program of a machine: without a collector none of them counts. */
function hasCollector(settings: Environment): boolean {
  const isDisabled = otelFlag.parse(settings["OTEL_SDK_DISABLED"] ?? "") === true;
  return !isDisabled && COLLECTOR_SETTINGS.some((name) => settings[name] !== undefined);
}

/** Adds to `problems` what is wrong. */
export function settingReader(settings: Environment, problems: string[]): SettingReader {
  return (name, fallback, { parse, expected }) => {
    const value = settings[name];
    if (value === undefined) return fallback;
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    problems.push(
      // The value may be secret or contain a password, so it is not repeated.
      SECRETS.some((secret) => secret === name)
        ? `${name} must be ${expected}.`
        : `${name} is "${value}"; it must be ${expected}.`,
    );
    return fallback;
  };
}

/** A sentence for each setting of ours that this version does not have. */
export function describeUnknown(settings: Environment): string[] {
  const known = ourNames(SETTINGS).map((name) => name.slice(PREFIX.length));
  return ourNames(settings)
    .filter((name) => !Object.hasOwn(SETTINGS, name))
    .map((name) => {
      const suggestion = didYouMean(name.slice(PREFIX.length), known, PREFIX);
      return `There is no setting ${name}, and it has no effect.${suggestion}`;
    });
}

function ourNames(settings: object): string[] {
  return Object.keys(settings).filter((name) => name.startsWith(PREFIX));
}

/** The files that contain secrets: `.env` if it does, and those named by `<name>_FILE`. */
export function secretFiles(environment: Environment, directory: string): string[] {
  const envFile = join(directory, ".env");
  const fromFile = readEnvFile(envFile, []);
  const settings = { ...fromFile, ...withoutEmpty(environment) };
  const named = SECRETS.map((name) => settings[`${name}_FILE`]).filter((file) => file !== undefined);
  return [
    ...(SECRETS.some((name) => fromFile[name] !== undefined) ? [envFile] : []),
    ...named.map((file) => resolve(directory, file)),
  ];
}

function readEnvFile(path: string, problems: string[]): Environment {
  try {
    return withoutEmpty(parseEnv(readFileSync(path, "utf8")));
  } catch (error) {
    if (getErrorCode(error) === "ENOENT") return {};
    problems.push(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

function readSecretFile(name: string, path: string, problems: string[]): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    problems.push(
      `${name} names ${path}, which cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

/** Removes empty values: in a shell or a compose file they mean "unset". */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""));
}
