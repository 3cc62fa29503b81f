/** Where a site of Docusaurus shows its folders, by its configuration, a program that is read and not executed. */
import { withoutTrailing } from "../../domain/system/trailing.ts";

export interface DocusaurusRoute {
  kind: "blog" | "docs";
  /** The folder relative to the site's root, with `/` at the end. */
  folder: string;
  /** What its addresses begin with; empty for the top of the site. */
  base: string;
}

/** Comments, strings, names and signs. */
const TOKENS = /\/\/[^\n]*|\/\*|"[^"\\\n]{0,500}"|'[^'\\\n]{0,500}'|`[^`\\\n]{0,500}`|[A-Za-z_$][\w$]*|[{}:,]/g;

interface Block {
  /** What the block is given to: a name, or the name of a plugin before it. */
  owner: string;
  path?: string;
  routeBasePath?: string;
}

/** The settings `path` and `routeBasePath` of blogs and documents, of the preset and of plugins. */
export function readRoutes(text: string): DocusaurusRoute[] {
  const routes: DocusaurusRoute[] = [];
  const open: Block[] = [];
  let [name, last] = ["", ""];
  let commentEnd = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (index < commentEnd || token.startsWith("//")) continue;
    const block = open.at(-1);
    if (token === "/*") {
      const end = text.indexOf("*/", index);
      commentEnd = end < 0 ? text.length : end;
    } else if (token === ":") name = last;
    else if (token === ",") name = "";
    else if (token === "{") {
      open.push({ owner: name || last });
      [name, last] = ["", ""];
    } else if (token === "}") {
      open.pop();
      if (block !== undefined) routes.push(...toRoutes(block));
      [name, last] = ["", ""];
    } else {
      last = token.replaceAll(/^["'`]|["'`]$/g, "");
      if (last === token || block === undefined) continue;
      if (name === "path" || name === "routeBasePath") block[name] = last;
    }
  }
  return routes;
}

function toRoutes({ owner, path, routeBasePath }: Block): DocusaurusRoute[] {
  const [, kind] = /(?:^|content-)(blog|docs)$/.exec(owner) ?? [];
  if ((kind !== "blog" && kind !== "docs") || (path === undefined && routeBasePath === undefined)) return [];
  const folder = withoutTrailing((path ?? kind).replace(/^\.?\//, ""), "/");
  return [{ kind, folder: `${folder}/`, base: withoutTrailing((routeBasePath ?? kind).replace(/^\//, ""), "/") }];
}
