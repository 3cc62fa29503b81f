import type { Rule } from "./report.ts";

/** Each finds what is of its own kinds; none depends on another. */
export const RULES: readonly Rule[] = [];
