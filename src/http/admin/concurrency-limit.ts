import { AppError } from "../../domain/system/errors.ts";

/** Limits how many long operations run at once in this process. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #sentence: string;
  #underWay = 0;

  /** `sentence`: the error message when the limit is reached. */
  constructor(most: number, sentence: string) {
    this.#most = most;
    this.#sentence = sentence;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Takes a slot until the result is disposed of. @throws AppError `conflict`. */
  begin(): Disposable {
    if (this.#underWay >= this.#most) throw new AppError("conflict", this.#sentence);
    this.#underWay++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#underWay--;
        isOver = true;
      },
    };
  }
}

/** The same limit for each key separately, such as for each user. */
export class ConcurrencyLimitPerKey {
  readonly #most: number;
  readonly #sentence: string;
  readonly #underWay = new Map<string, ConcurrencyLimit>();

  constructor(most: number, sentence: string) {
    this.#most = most;
    this.#sentence = sentence;
  }

  /** Takes a slot until the result is disposed of. @throws AppError `conflict`. */
  begin(kind: string): Disposable {
    const places = this.#underWay.get(kind) ?? new ConcurrencyLimit(this.#most, this.#sentence);
    this.#underWay.set(kind, places);
    const place = places.begin();
    return {
      [Symbol.dispose]: () => {
        place[Symbol.dispose]();
        if (places.isIdle) this.#underWay.delete(kind);
      },
    };
  }
}
