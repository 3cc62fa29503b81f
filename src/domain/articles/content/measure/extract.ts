import { type Place } from "../../findings.ts";
import type { Passage } from "../integrity/material.ts";
import { toQuote } from "../integrity/report.ts";

/** A part of a text that a check is about. */
export interface Extract {
  passage: Passage;
  start: number;
  end: number;
}

export function extractText({ passage, start, end }: Extract): string {
  return passage.text.slice(start, end);
}

export function toPlace(extract: Extract): Place {
  const { passage, start, end } = extract;
  return { field: passage.field, block: passage.block, start, end, quote: toQuote(extractText(extract)) };
}
