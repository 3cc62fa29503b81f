import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";

export const TEMPLATES = ["astro", "next"] as const;
export type Template = (typeof TEMPLATES)[number];

export interface SiteAnswers {
  folder: string;
  template: Template;
  title?: string | undefined;
  /** Address of the Rostrum service. */
  url?: string | undefined;
  key?: string | undefined;
}

const ROOT = join(import.meta.dirname, "..");
/** What each template's package.json names beside its own tarballs, which come with this package. */
const PACKAGES: Record<Template, string> = { astro: "rostrum-astro", next: "rostrum-next" };

/**
 * Writes a site into a folder that is new or empty.
 *
 * @throws Error with a sentence for the user. @returns the folder, as an absolute path, and the template.
 */
export function createSite({ folder, template, title, url, key }: SiteAnswers): { folder: string; template: Template } {
  const target = resolve(folder);
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new Error(`${target} is not empty; name a folder that does not exist yet.`);
  }
  if (url !== undefined && !/^https?:\/\/[^\s"]+$/.test(url)) {
    throw new Error(`"${url}" is no address; write it like https://articles.example.com.`);
  }
  if (key !== undefined && !/^rs_\w+$/.test(key)) {
    throw new Error("This is no API key; one looks like rs_…, and `rostrum key create --scope published` makes one.");
  }
  mkdirSync(target, { recursive: true });
  cpSync(join(ROOT, "templates", template), target, { recursive: true });
  cpSync(join(ROOT, "templates", "shared"), target, { recursive: true });
  // npm leaves files with this name out of packages.
  renameSync(join(target, "gitignore"), join(target, ".gitignore"));
  const style = template === "astro" ? join("src", "styles.css") : join("app", "styles.css");
  renameSync(join(target, "styles.css"), join(target, style));
  copyPackages(target, template);
  const name = basename(target);
  fill(join(target, "package.json"), "my-site", toPackageName(name));
  const config = join(target, "site.config.json");
  const site = JSON.parse(readFileSync(config, "utf8")) as Record<string, string>;
  writeFileSync(config, `${JSON.stringify({ ...site, title: title ?? name }, null, 2)}\n`);
  const settings = join(target, ".env");
  writeFileSync(settings, `ROSTRUM_URL=${url ?? ""}\nROSTRUM_API_KEY=${key ?? ""}\n`, { mode: 0o600 });
  chmodSync(settings, 0o600);
  return { folder: target, template };
}

/** The kits are not in npm's registry: the site has them beside its own files. */
function copyPackages(target: string, template: Template): void {
  const [from, to] = [join(ROOT, "packages"), join(target, "packages")];
  mkdirSync(to);
  for (const file of readdirSync(from)) {
    const name = file.replace(/-\d[^-]*\.tgz$/, "");
    if (name === "rostrum-client" || name === PACKAGES[template]) cpSync(join(from, file), join(to, `${name}.tgz`));
  }
}

function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "my-site" : name;
}

function fill(file: string, placeholder: string, value: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(placeholder, value));
}
