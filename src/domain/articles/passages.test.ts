/**
 * Follows commented passages through edits. The expected places are known because the test makes the edits, character
 * by character.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cases, IS_THOROUGH } from "../../../test/helpers/properties.ts";
import { followInText, isLost, type LostPassage, type Passage, withoutSpace } from "./passages.ts";
import { LONG_ONLY } from "../../../test/helpers/full-run.ts";

function followPassages(from: string, to: string, passages: readonly (Passage | LostPassage)[]) {
  return followInText({ from, to, passages }).passages;
}

/** The passage in brackets, in another text. @returns the text with the passage marked, or null if it is lost. */
function follow(marked: string, to: string): string | null {
  const squeezed = withoutSpace(marked);
  const start = squeezed.indexOf("[");
  const passage = { start, end: squeezed.indexOf("]") - 1 };
  const [found] = followPassages(squeezed.replaceAll(/[[\]]/g, ""), withoutSpace(to), [passage]);
  if (found === undefined || isLost(found)) return null;
  const text = withoutSpace(to);
  return `${text.slice(0, found.start)}[${text.slice(found.start, found.end)}]${text.slice(found.end)}`;
}

test("a passage stays where it is when the text around it changes", () => {
  assert.equal(follow("One two [three] four.", "Zero. One two three four, five."), "Zero.Onetwo[three]four,five.");
  assert.equal(follow("One  two\n[three] four.", "One two three\n\nfour."), "Onetwo[three]four.");
  assert.equal(follow("a word1 [word2] b", "a word2 b"), "a[word2]b");
});

test("a comment on an edited passage stays with what is left of the passage", () => {
  assert.equal(follow("He saw [teh cat] there.", "He saw the cat there."), "Hesaw[thecat]there.");
  assert.equal(
    follow("A [Big dog barks loudly] at us.", "A Large dog barks loudly at us."),
    "ALarge[dogbarksloudly]atus.",
  );
  assert.equal(follow("We [sell apples] here", "We sell many red apples here"), "We[sellmanyredapples]here");
});

test("a passage that is deleted is lost, also where the same words remain", () => {
  assert.equal(follow("One [two] three", "One three"), null);
  assert.equal(follow("Say [yes] yes now", "Say yes now"), null);
  assert.equal(follow("Say yes [yes] now", "Say yes now"), null);
  assert.equal(follow("The first item costs 5. [The second] item costs 5.", "The first item costs 5."), null);
});

const PARAGRAPHS = [
  "Ledger entries are written once and never changed afterwards by anybody.",
  "Every night the totals are computed again from all of the entries.",
  "A difference between the two is reported to whoever is on duty then.",
];

test("a paragraph takes its passages along when it is moved", () => {
  const [one = "", two = "", three = ""] = PARAGRAPHS;
  const marked = `${one.replace("written once", "[written once]")}\n\n${two}\n\n${three}`;
  const moved = withoutSpace(`${two} ${three} ${one.replace("written once", "[written once]")}`);
  assert.equal(follow(marked, `${two}\n\n${three}\n\n${one}`), moved);
});

test("a lost passage is found again when its text comes back", () => {
  const [one = "", two = "", three = ""] = PARAGRAPHS.map(withoutSpace);
  const from = one + two + three;
  const place = { start: from.indexOf("totals"), end: from.indexOf("totals") + 6 };
  const [lost] = followPassages(from, one + three, [place]);
  assert.ok(lost !== undefined && isLost(lost));
  assert.equal(lost.text, "totals");
  assert.deepEqual(followPassages(one + three, from, [lost]), [place]);
  assert.deepEqual(followPassages(one + three, from + from, [lost]), [lost]);
});

test("a passage never ends within a character", () => {
  assert.equal(follow("x [ab👩cd] y", "x ab👨cd y"), "x[ab👨cd]y");
  assert.equal(follow("x [👩] y", "x 👨 y"), "x[👨]y");
});

test("texts made to be expensive take no longer than others of their length", LONG_ONLY, () => {
  const size = 1_000_000;
  const [a, ab] = ["a".repeat(size), "ab".repeat(size / 2)];
  const passages: (Passage | LostPassage)[] = Array.from({ length: 1_000 }, (_none, at) =>
    at % 2 === 0
      ? { start: at * 900, end: at * 900 + 5_000 }
      : { before: "a".repeat(32), text: "a".repeat(5_000), after: "ab".repeat(16) },
  );
  const others = [a.slice(1), `b${a}`, ab, `${a}b${a}`.slice(0, size), `${a.slice(5)}b`, "", "b".repeat(size)];
  for (const to of others) assert.equal(followPassages(a, to, passages).length, passages.length);
  assert.equal(followPassages(ab, ab.slice(2_001), passages).length, passages.length);
});

interface Letter {
  letter: string;
  /** Where it comes from: its number in the first text, or that of its insertion. */
  id: number;
}

const HISTORIES = IS_THOROUGH ? 1_000 : cases(100);
const SAVES = 10;
const PASSAGES = 4;

test("comments stay at their passages through random histories of edits, and none moves silently", () => {
  let [there, kept, exact] = [0, 0, 0];
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const history = new History(seed);
    const passages = Array.from({ length: PASSAGES }, () => history.choose());
    let places: (Passage | LostPassage)[] = passages.map((members) => history.placeOf(members));
    for (let save = 0; save < SAVES; save++) {
      const from = history.text();
      for (let count = history.random(3); count >= 0; count--) history.edit(passages);
      const before = places;
      places = followPassages(from, history.text(), places);
      for (const [index, place] of places.entries()) {
        const members = passages[index] ?? new Set();
        const was = before[index];
        if (isLost(place) || was === undefined) continue;
        assert.equal(history.findFault(place, members, from, was), null, `seed ${seed}, save ${save}`);
      }
    }
    for (const [index, place] of places.entries()) {
      if (!history.isThere(index)) continue;
      there++;
      if (isLost(place)) continue;
      kept++;
      const truth = history.placeOf(passages[index] ?? new Set());
      if (truth.start === place.start && truth.end === place.end) exact++;
    }
  }
  assert.ok(there > HISTORIES, "most passages survive their history");
  assert.ok(kept >= there * 0.99, `${kept} of ${there} stayed at their passage`);
  assert.ok(exact >= kept * 0.95, `${exact} of ${kept} have exactly the letters of their passage`);
});

/** One article and its edits, with the letters that each passage consists of. */
class History {
  #state: number;
  #letters: Letter[] = [];
  #next = 0;
  /** The letters that each passage had at first. */
  readonly #begun: Set<number>[] = [];

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761;
    const count = 3 + this.random(10);
    for (let paragraph = 0; paragraph < count; paragraph++) this.#letters.push(...this.#make(`${this.#paragraph()}\n`));
  }

  random(below: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x85_eb_ca_6b) + 0x9e_37_79_b9) | 0;
    return ((this.#state ^ (this.#state >>> 13)) >>> 0) % below;
  }

  text(): string {
    return withoutSpace(this.#letters.map(({ letter }) => letter).join(""));
  }

  /** A word, some words or a sentence. */
  choose(): Set<number> {
    const [start, end] = this.#words([1, 2, 4, 7, 14][this.random(5)] ?? 1);
    const members = this.#letters.slice(start, end).flatMap(({ letter, id }) => (letter.trim() === "" ? [] : [id]));
    if (members.length === 0) return this.choose();
    this.#begun.push(new Set(members));
    return new Set(members);
  }

  placeOf(members: ReadonlySet<number>): Passage {
    const seen = this.#seen();
    const start = seen.findIndex(({ id }) => members.has(id));
    return { start, end: seen.findLastIndex(({ id }) => members.has(id)) + 1 };
  }

  /** Whether half of the passage's first letters are still there, in one place. */
  isThere(index: number): boolean {
    const begun = this.#begun[index] ?? new Set();
    const places = [...this.#seen().entries()].filter(([, { id }]) => begun.has(id)).map(([place]) => place);
    const length = (places.at(-1) ?? 0) - (places[0] ?? 0) + 1;
    return places.length * 2 >= begun.size && length <= begun.size * 2 + 40;
  }

  /**
   * Describes what is wrong with a place; null if nothing is. A place is right if it has letters of the passage, or if
   * its text and surroundings read the same: nobody could tell these apart.
   * @param was the place before the edit, in `from`.
   */
  findFault(place: Passage, members: Set<number>, from: string, was: Passage | LostPassage): string | null {
    const seen = this.#seen();
    const inside = seen.slice(place.start, place.end);
    const now = this.text();
    const here = around(now, place);
    const before = isLost(was) ? `${was.before.slice(-20)}[${was.text}]${was.after.slice(0, 20)}` : around(from, was);
    if (before === here) {
      members.clear();
      for (const { id } of inside) members.add(id);
    }
    if (inside.some(({ id }) => members.has(id))) return null;
    const truth = this.placeOf(members);
    // The passage was deleted, and the same text was written there again.
    const isAgain = truth.end === 0 && here.slice(0, -20) === before.slice(0, -20);
    return isAgain || around(now, truth) === here ? null : `${here} for ${around(now, truth)}`;
  }

  edit(passages: readonly Set<number>[]): void {
    const letters = this.#letters;
    // Out of four hundred edits, sixteen move a paragraph, six delete one, and one copies one.
    const chance = this.random(400);
    const kind = chance < 377 ? this.random(10) : chance < 393 ? 10 : chance < 399 ? 11 : 12;
    if (kind < 3) this.#replace(this.#at(), 0, this.#sentence(1 + this.random(4)), passages);
    else if (kind < 5) this.#cut(this.#words(1 + this.random(3)), passages);
    else if (kind === 5) this.#exchange(this.#words(1 + this.random(2)), passages);
    else if (kind === 6) {
      // Makes or corrects a typing mistake.
      const at = this.random(letters.length);
      if (letters[at]?.letter.trim() !== "") this.#replace(at, this.random(2), "aeiou"[this.random(5)] ?? "", passages);
    } else if (kind === 7) this.#replace(this.#at(), 0, `${this.#sentence(12)}. `, passages);
    else if (kind === 8) this.#cut(this.#words(10), passages);
    else if (kind === 9)
      this.#replace(
        this.#paragraphs()[this.random(this.#paragraphs().length)] ?? 0,
        0,
        `${this.#paragraph()}\n`,
        passages,
      );
    else if (kind === 10) {
      const [start, end] = this.#oneParagraph();
      const moved = letters.splice(start, end - start);
      const places = this.#paragraphs();
      const place = places[this.random(places.length)] ?? 0;
      for (const members of passages) {
        if (this.#within(place - 1, members) && this.#within(place, members))
          for (const { id } of moved) members.add(id);
      }
      letters.splice(place, 0, ...moved);
    } else {
      const [start, end] = this.#oneParagraph();
      if (kind === 11) this.#cut([start, end], passages);
      else
        this.#replace(
          end,
          0,
          letters
            .slice(start, end)
            .map(({ letter }) => letter)
            .join(""),
          passages,
        );
    }
  }

  #seen(): Letter[] {
    return this.#letters.filter(({ letter }) => letter.trim() !== "");
  }

  #make(text: string): Letter[] {
    return Array.from({ length: text.length }, (_none, at) => ({ letter: text[at] ?? "", id: this.#next++ }));
  }

  /** Text written within a passage, or instead of a part of it, belongs to the passage. */
  #replace(at: number, count: number, text: string, passages: readonly Set<number>[]): void {
    const made = this.#make(text);
    const removed = this.#letters.slice(at, at + count);
    const [before, after] = [this.#letters[at - 1], this.#letters[at + count]];
    for (const members of passages) {
      const has = (one: Letter | undefined) => one !== undefined && members.has(one.id);
      const isWithin = this.#within(at - 1, members) && this.#within(at + count, members);
      if (isWithin || (count > 0 && removed.every(has)) || (has(before) && has(after))) {
        for (const { id, letter } of made) if (letter.trim() !== "") members.add(id);
      }
    }
    this.#letters.splice(at, count, ...made);
  }

  #within(at: number, members: ReadonlySet<number>): boolean {
    const start = this.#letters.findIndex(({ id }) => members.has(id));
    return start >= 0 && at >= start && at <= this.#letters.findLastIndex(({ id }) => members.has(id));
  }

  #exchange([start, end]: [number, number], passages: readonly Set<number>[]): void {
    this.#replace(start, end - start, `${this.#sentence(1 + this.random(2))} `, passages);
  }

  #cut([start, end]: [number, number], passages: readonly Set<number>[]): void {
    if (this.#letters.length > 200) this.#replace(start, end - start, "", passages);
  }

  #at(): number {
    const places = [...this.#letters.keys()].filter((at) => at === 0 || this.#letters[at - 1]?.letter.trim() === "");
    return places[this.random(places.length)] ?? 0;
  }

  /** A range of this many words, with the space after them. */
  #words(count: number): [number, number] {
    const start = this.#at();
    let end = start;
    for (let word = 0; word < count && end < this.#letters.length; word++) {
      while (end < this.#letters.length && this.#letters[end]?.letter.trim() !== "") end++;
      while (end < this.#letters.length && this.#letters[end]?.letter.trim() === "") end++;
    }
    return [start, end];
  }

  #paragraphs(): number[] {
    return [0, ...[...this.#letters.entries()].flatMap(([at, { letter }]) => (letter === "\n" ? [at + 1] : []))];
  }

  #oneParagraph(): [number, number] {
    const starts = this.#paragraphs();
    const index = this.random(starts.length);
    return [starts[index] ?? 0, starts[index + 1] ?? this.#letters.length];
  }

  #paragraph(): string {
    if (this.random(40) === 0) return "For more information see the pages of our service or ask us. ";
    return Array.from({ length: 1 + this.random(5) }, () => `${this.#sentence(4 + this.random(14))}. `).join("");
  }

  /** A sentence in which, as in a language, few words are very frequent. */
  #sentence(words: number): string {
    return Array.from(
      { length: words },
      () => WORDS[Math.min(this.random(WORDS.length), this.random(WORDS.length))],
    ).join(" ");
  }
}

/** The passage with the text around it. */
function around(text: string, { start, end }: Passage): string {
  return `${text.slice(Math.max(0, start - 20), start)}[${text.slice(start, end)}]${text.slice(end, end + 20)}`;
}

const SYLLABLES =
  "the re in al to ma ker so li on ba cu dro fen gi hu jas kor lum mis nat or pel qua rin sta tur un ver wo xi yel zan bri clo dis ex fra gro hen".split(
    " ",
  );
const syllable = (number: number) => SYLLABLES[number % SYLLABLES.length] ?? "";
const WORDS = Array.from({ length: 1_500 }, (_none, at) => {
  return syllable(at) + (at < 40 ? "" : syllable(at * 7 + 3)) + (at < 400 ? "" : syllable(Math.floor(at / 40) * 11));
});
