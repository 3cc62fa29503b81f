/** The settings (README, "Settings"): the only reader of the environment. */
import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { AppError } from "./domain/errors.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  /** Of the SQLite database. */
  databasePath: string;
  publicUrl: string | null;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Requests per second and key; 0: unlimited. */
  rateLimit: number;
  cacheBytes: number;
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the settings of `environment` and, where it has none of a name, of the file `.env`.
 *
 * @throws AppError `misconfigured` with every problem, one a line.
 */
export function readConfig(environment: Environment, directory: string): Config {
  const problems: string[] = [];
  const settings = { ...readEnvFile(join(directory, ".env"), problems), ...withoutEmpty(environment) };
  const read = <T>(name: string, fallback: T, parse: (value: string) => T | undefined, expected: string): T => {
    const value = settings[name];
    if (value === undefined) return fallback;
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    problems.push(`${name} is "${value}"; it must be ${expected}.`);
    return fallback;
  };

  const dataDir = resolve(directory, settings["ROSTRUM_DATA_DIR"] ?? "data");
  const config: Config = {
    host: read("HOST", "127.0.0.1", nonEmpty, "an address to listen on, such as 127.0.0.1"),
    port: read("PORT", 4000, wholeNumber(0, 65_535), "a port number from 0 to 65535"),
    dataDir,
    databasePath: read(
      "DATABASE_URL",
      join(dataDir, "rostrum.db"),
      (value) => databasePath(value, directory),
      "absent or sqlite:<path>; this version keeps its data in SQLite and cannot use another database yet",
    ),
    publicUrl: read("ROSTRUM_PUBLIC_URL", null, httpUrl, "an address like https://articles.example.com"),
    logLevel: read(
      "ROSTRUM_LOG_LEVEL",
      "info",
      (value) => LOG_LEVELS.find((level) => level === value),
      `one of ${LOG_LEVELS.join(", ")}`,
    ),
    rateLimit: read(
      "ROSTRUM_RATE_LIMIT",
      50,
      wholeNumber(0, 1_000_000),
      "a whole number of requests per second; 0 is off",
    ),
    cacheBytes:
      read("ROSTRUM_CACHE_MB", 64, wholeNumber(1, 1_000_000), "a whole number of megabytes of at least 1") *
      1024 *
      1024,
  };
  if (problems.length > 0) throw new AppError("misconfigured", problems.join("\n"));
  return config;
}

function readEnvFile(path: string, problems: string[]): Environment {
  try {
    return withoutEmpty(parseEnv(readFileSync(path, "utf8")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    problems.push(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

/** An empty value is no value: that is how a shell or a compose file says "unset". */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""));
}

function nonEmpty(value: string): string | undefined {
  return value.trim() === "" ? undefined : value.trim();
}

function wholeNumber(least: number, most: number) {
  return (value: string): number | undefined => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  };
}

function httpUrl(value: string): string | undefined {
  return URL.canParse(value) && /^https?:/.test(value) ? value.replace(/\/+$/, "") : undefined;
}

function databasePath(value: string, directory: string): string | undefined {
  if (!value.startsWith("sqlite:") || value === "sqlite:") return undefined;
  const path = value.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  return isAbsolute(path) ? path : resolve(directory, path);
}
