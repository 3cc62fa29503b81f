/** Counts the code that a guide of docs/sites has one write. */
import { documentedFiles } from "./documented-files.ts";

/** Blank lines, comments, imports, and what surrounds the script of an Astro or Vue file. */
const NOT_COUNTED =
  /^(?:|\/\/.*|\/\*.*|\*.*|#.*|""".*"""|import .*|from .* import .*|require .*|<\?php|namespace .*|package .*|---)$/;

export function countOwnLines(guide: string): number {
  return documentedFiles(guide)
    .map(({ code }) => code.replaceAll(/^import \([^)]*\)$/gm, ""))
    .flatMap((code) => code.split("\n"))
    .filter((line) => !NOT_COUNTED.test(line.trim())).length;
}
