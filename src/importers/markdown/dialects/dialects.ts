import type { Warning } from "../../../domain/articles/warnings.ts";
import { Warnings } from "../../../domain/articles/warnings.ts";
import type { DialectName } from "../../site.ts";
import type { ConvertContext, Dialect, SourceFile } from "./dialect.ts";
import { eleventy } from "./eleventy.ts";
import { hexo } from "./hexo.ts";
import { hugo } from "./hugo.ts";
import { jekyll } from "./jekyll.ts";
import { mdx } from "./mdx/mdx.ts";
import { mkdocs } from "./mkdocs.ts";
import { obsidian } from "./obsidian.ts";
import { pelican } from "./pelican.ts";
import { vitepress } from "./vitepress.ts";
import { convertZola } from "./zola.ts";

/** Those whose constructs are the plainest come first. */
const DIALECTS: readonly Dialect[] = [mdx, vitepress, mkdocs, pelican, eleventy, hugo, hexo, jekyll, obsidian];

/** The text as plain Markdown or HTML, with the generator in whose form it was read; null: in none. */
export function convertDialect(
  file: SourceFile,
  {
    language,
    site,
    dialect: chosen,
    pathInSite = file.name,
    vault,
  }: Pick<ConvertContext, "language" | "site"> & { dialect: DialectName | undefined } & Partial<
      Pick<ConvertContext, "pathInSite" | "vault">
    >,
): { body: string; dialect: Dialect | null; warnings: Warning[] } {
  const dialect = findDialect(file, chosen ?? site.dialect);
  if (dialect === null) return { body: convertZola(file.body, language), dialect, warnings: [] };
  const warnings = new Warnings();
  const { name, fields } = file;
  const body = dialect.convert(file.body, { name, fields, language, site, pathInSite, vault, warnings });
  return { body, dialect, warnings: warnings.list };
}

function findDialect(file: SourceFile, name: DialectName | null): Dialect | null {
  const isMeant = name === null ? (dialect: Dialect) => dialect.isLikely(file) : (one: Dialect) => one.name === name;
  return DIALECTS.find(isMeant) ?? null;
}
