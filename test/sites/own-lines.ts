/** Counts the lines of code that a reader of a guide in docs/sites has to write. */
import { documentedFiles } from "./documented-files.ts";

/** Lines that are not counted: blank ones, comments, imports, and the markup around the script of an Astro or Vue file. */
const NOT_COUNTED =
  /^(?:|\/\/.*|\/\*.*|\*.*|#.*|""".*"""|import .*|from .* import .*|require .*|<\?php|namespace .*|package .*|---)$/;

export function countOwnLines(guide: string): number {
  return documentedFiles(guide)
    .map(({ code }) => code.replaceAll(/^import \([^)]*\)$/gm, ""))
    .flatMap((code) => code.split("\n"))
    .filter((line) => !NOT_COUNTED.test(line.trim())).length;
}
