import type { Warnings } from "../../../domain/articles/warnings.ts";
import type { FrontMatterFields } from "../front-matter.ts";
import type { DialectName, Site } from "../../site.ts";
import type { Vault } from "./vault.ts";

/** How one generator writes articles: a file for each, in this folder. */
export interface Dialect {
  name: DialectName;
  /** As people know it, e.g. `Jekyll`. */
  label: string;
  /** Whether the text has constructs, or the file a name, that only this generator has. Asked if no configuration was found. */
  isLikely(file: SourceFile): boolean;
  /**
   * The text as plain Markdown, or HTML where Markdown has no form: what has a meaning gets it, of anything else the words
   * stay. Code is never changed. Linear on any text. A link to another article stays one to its file, with its ending: by
   * the path from this file, or after `/` by that from the site's root or its folder of articles; file-links.ts goes on.
   */
  convert(body: string, source: ConvertContext): string;
}

export interface SourceFile {
  /** Its path within the import, with `/` on every system. */
  name: string;
  fields: FrontMatterFields;
  /** Without front matter. */
  body: string;
}

export interface ConvertContext extends Omit<SourceFile, "body"> {
  language: "markdown" | "html";
  site: Site;
  /** The path within the site, which may be larger than the import. */
  pathInSite: string;
  /** The files that links name without their folders; absent: the file was sent alone. */
  vault?: Vault | undefined;
  /** Gets what could not be kept as it was. */
  warnings: Warnings;
}
