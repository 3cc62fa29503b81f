import type { Integrity } from "../../findings.ts";
import type { Material } from "./material.ts";
import { Report } from "./report.ts";
import { RULES } from "./rules.ts";

/** What is wrong with the article, as far as a rule can tell. */
export function findProblems(material: Material): Integrity {
  const report = new Report();
  for (const rule of RULES) rule(material, report);
  return report.finish();
}
