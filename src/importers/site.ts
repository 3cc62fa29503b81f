/** Generators whose own constructs are understood; names as `--dialect` takes them. */
export const DIALECT_NAMES = [
  "jekyll",
  "hugo",
  "hexo",
  "mdx",
  "vitepress",
  "mkdocs",
  "pelican",
  "eleventy",
  "obsidian",
] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** The website that imported files belong to, by its generator's configuration. */
export interface Site {
  /** The generator whose configuration was found; null: none. */
  dialect: DialectName | null;
  /** Its name as people know it, e.g. `Docusaurus`; null: none. */
  generator: string | null;
  /** The folder with the configuration on this machine; null: none was found, or only a single file was sent. */
  root: string | null;
  /** The folder that is imported, or that of the single file, relative to `root`; ends with `/` unless it is `root`. */
  folder: string;
  /** Address of the site, with its `baseurl`, without a slash at the end; null: unknown. */
  url: string | null;
  /** IANA name of the zone of local times; null: UTC. */
  timeZone: string | null;
  /** Pattern of articles' addresses in the generator's own form, e.g. `/:categories/:title/`; null: none is set. */
  permalink: string | null;
  /** Folders that the generator serves at `/`, relative to `root`, e.g. `static`; `""` is `root` itself. */
  staticFolders: readonly string[];
  /** Values of the configuration by their names, for `site.title` and `param`. */
  values: Readonly<Record<string, unknown>>;
  /** What its configuration was read from, relative to `root`. */
  files: readonly string[];
  /** The text of a file of the site, such as an include, by its path relative to `root`; null: there is none. */
  readFile(path: string): string | null;
}

/** Files without a site. */
export const NO_SITE: Site = {
  dialect: null,
  generator: null,
  root: null,
  folder: "",
  url: null,
  timeZone: null,
  permalink: null,
  staticFolders: [],
  values: {},
  files: [],
  readFile: () => null,
};
