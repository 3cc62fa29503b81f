/**
 * The texts that were typed, across the visual and the source view. Each view has an undo history of its own, which begins with
 * the view; where it ends, undo goes on here. A colleague's change is put into every earlier text, so that undo takes back only
 * what this user has typed.
 */
import { mergeTexts } from "./merge-texts.ts";

/** A pause of this length in typing begins a new undo step. */
const PAUSE_MS = 500;
const MAX_TEXTS = 100;

export class TextHistory {
  #past: string[] = [];
  #current: string;
  /** The next one last. */
  #future: string[] = [];
  #typedAt = Number.NEGATIVE_INFINITY;
  /** How often `undo` has gone back further than the view's own history. */
  #below = 0;

  constructor(text: string) {
    this.#current = text;
  }

  /** Remembers what was typed; also what a view's own undo and redo lead to. */
  record(text: string, now: number): void {
    if (text === this.#current) return;
    const isTyping = now - this.#typedAt < PAUSE_MS;
    this.#typedAt = now;
    if (this.#move(text, this.#past, this.#future) || this.#move(text, this.#future, this.#past)) return;
    if (!isTyping || this.#past.length === 0) this.#past.push(this.#current);
    if (this.#past.length > MAX_TEXTS) this.#past.shift();
    this.#current = text;
    this.#future = [];
    this.#below = 0;
  }

  /** The text was replaced, by a colleague's change or a restored draft. */
  replace(text: string): void {
    if (text === this.#current) return;
    const [before, after] = [this.#current, text];
    const follow = (texts: readonly string[]) => {
      const followed: string[] = [];
      // Without one text, those beyond it could not be reached.
      for (const one of texts.toReversed()) {
        const merged = mergeTexts(before, one, after);
        if (merged === null) break;
        followed.unshift(merged);
      }
      return followed;
    };
    this.#past = follow(this.#past);
    this.#future = follow(this.#future);
    this.#current = text;
    this.#typedAt = Number.NEGATIVE_INFINITY;
  }

  /** Begins anew, such as in another format. */
  reset(text: string): void {
    this.#past = [];
    this.#future = [];
    this.#current = text;
    this.#below = 0;
  }

  /** The view begins with the text as it is now, and without a history of its own. */
  enter(): void {
    this.#below = 0;
    this.#typedAt = Number.NEGATIVE_INFINITY;
  }

  /** The text before; null if there is none. For when the view's own history is at its beginning. */
  undo(): string | null {
    const text = this.#past.at(-1);
    if (text === undefined) return null;
    this.#move(text, this.#past, this.#future);
    this.#below += 1;
    return text;
  }

  /** The text that `undo` has left; null if the view's own history comes next. */
  redo(): string | null {
    const text = this.#future.at(-1);
    if (text === undefined || this.#below === 0) return null;
    this.#move(text, this.#future, this.#past);
    this.#below -= 1;
    return text;
  }

  /** Makes a known text the current one. @returns whether `from` has it. */
  #move(text: string, from: string[], to: string[]): boolean {
    const at = from.lastIndexOf(text);
    if (at === -1) return false;
    to.push(this.#current, ...from.splice(at).slice(1).toReversed());
    this.#current = text;
    return true;
  }
}
