/** Phrases that say little, and mentions of studies and experts, by language. Written in lower case, as single words. */
import type { Passage, Vocabulary } from "../integrity/material.ts";
import type { Extract } from "../integrity/report.ts";
import { words } from "./words.ts";

interface Phrases {
  /** What could stand in any article. */
  stock: readonly string[];
  /** What asks for a link to the source. */
  claims: readonly string[];
}

export const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    stock: [
      "in today's fast-paced",
      "in today's digital",
      "in today's ever-changing",
      "in today's ever-evolving",
      "in today's modern",
      "in today's competitive",
      "ever-evolving landscape",
      "ever-changing landscape",
      "ever-evolving world",
      "ever-changing world",
      "a testament to",
      "rich tapestry",
      "delve into",
      "delve deep",
      "delve deeper",
      "unlock the potential",
      "unlock the full potential",
      "unlock the true potential",
      "unlock the power",
      "unlock the secrets",
      "unlocking the potential",
      "unlocking the power",
      "a game-changer",
      "it's important to note that",
      "it is important to note that",
      "it's worth noting that",
      "in conclusion",
      "navigate the complexities",
      "navigating the complexities",
      "embark on a journey",
      "embark on your journey",
      "elevate your",
      "seamlessly integrate",
      "seamlessly integrates",
      "seamless integration",
      "it's not just about",
      "look no further",
      "plays a crucial role",
      "plays a vital role",
    ],
    claims: [
      "studies show",
      "studies have shown",
      "studies suggest",
      "studies indicate",
      "studies have found",
      "studies prove",
      "studies confirm",
      "research shows",
      "research has shown",
      "research suggests",
      "research indicates",
      "research has found",
      "research proves",
      "research confirms",
      "surveys show",
      "scientists have found",
      "scientists agree",
      "experts say",
      "experts agree",
      "experts recommend",
      "experts suggest",
      "according to a study",
      "according to a recent study",
      "according to a new study",
      "according to a survey",
      "according to a recent survey",
      "according to a report",
      "according to a recent report",
      "according to research",
      "according to recent research",
      "according to experts",
      "according to studies",
    ],
  },
  de: {
    stock: [
      "in der heutigen schnelllebigen",
      "in der heutigen digitalen",
      "in einer welt in der",
      "es ist wichtig zu beachten",
      "es ist wichtig zu betonen",
      "spielt eine entscheidende rolle",
      "spielen eine entscheidende rolle",
      "zusammenfassend lässt sich sagen",
      "auf das nächste level",
      "tauchen wir ein",
    ],
    claims: [
      "studien zeigen",
      "studien belegen",
      "studien beweisen",
      "studien haben gezeigt",
      "untersuchungen zeigen",
      "laut einer studie",
      "laut einer aktuellen studie",
      "laut einer umfrage",
      "laut einer aktuellen umfrage",
      "laut studien",
      "laut experten",
      "experten sind sich einig",
      "experten empfehlen",
    ],
  },
  fr: {
    stock: [
      "dans le monde actuel",
      "dans le monde d'aujourd'hui",
      "dans le monde numérique",
      "il est important de noter",
      "il convient de noter",
      "joue un rôle crucial",
      "jouent un rôle crucial",
      "en constante évolution",
      "n'hésitez plus",
    ],
    claims: [
      "des études montrent",
      "des études récentes montrent",
      "des études ont montré",
      "des études démontrent",
      "des études prouvent",
      "les études montrent",
      "selon une étude",
      "selon une étude récente",
      "selon une récente étude",
      "selon les experts",
      "les experts s'accordent",
    ],
  },
  es: {
    stock: [
      "en el mundo actual",
      "en el mundo digital",
      "en el panorama actual",
      "es importante destacar que",
      "es importante señalar que",
      "juega un papel crucial",
      "juega un papel fundamental",
      "en constante evolución",
    ],
    claims: [
      "estudios demuestran",
      "estudios recientes demuestran",
      "estudios muestran",
      "estudios indican",
      "los estudios demuestran",
      "según un estudio",
      "según un estudio reciente",
      "según un reciente estudio",
      "según los expertos",
      "los expertos coinciden",
    ],
  },
};

/** Where the phrases are, in the order of the text. Inline code and block quotes are not the author's words. */
export function findPhrases(
  phrases: readonly string[],
  passages: readonly Passage[],
  vocabulary: Vocabulary,
): Extract[] {
  const wanted: number[][] = [];
  const isFirst = new Uint8Array(vocabulary.words.length);
  for (const phrase of phrases) {
    const ids = toIds(phrase, vocabulary);
    const [first] = ids ?? [];
    if (ids === null || first === undefined) continue;
    wanted.push(ids);
    isFirst[first] = 1;
  }
  if (wanted.length === 0) return [];
  return passages.flatMap((passage) => (passage.isQuoted ? [] : findIn(passage, wanted, isFirst)));
}

/** null: the article lacks one of the words. */
function toIds(phrase: string, vocabulary: Vocabulary): number[] | null {
  const ids: number[] = [];
  for (const word of splitPhrase(phrase)) {
    const id = vocabulary.find(word);
    if (id === undefined) return null;
    ids.push(id);
  }
  return ids;
}

function findIn(passage: Passage, wanted: readonly number[][], isFirst: Uint8Array): Extract[] {
  const { ids, starts, ends } = passage.words;
  const hits: Extract[] = [];
  for (let at = 0; at < ids.length; at += 1) {
    if (isFirst[ids[at] ?? 0] !== 1 || passage.isCode(at)) continue;
    const found = wanted.find((phrase) => phrase.every((id, index) => ids[at + index] === id));
    if (found === undefined) continue;
    const last = at + found.length - 1;
    hits.push({ passage, start: starts[at] ?? 0, end: ends[last] ?? 0 });
    at = last;
  }
  return hits;
}

function splitPhrase(phrase: string): readonly string[] {
  const known = split.get(phrase);
  if (known !== undefined) return known;
  const made = words(phrase);
  split.set(phrase, made);
  return made;
}

const split = new Map<string, readonly string[]>();
