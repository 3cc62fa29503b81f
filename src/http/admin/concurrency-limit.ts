import { AppError } from "../../domain/system/errors.ts";

/** Limits how many long operations run at once in this process. */
class ConcurrencyLimit {
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
class ConcurrencyLimitPerKey {
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

interface OperationLimitsOptions {
  /** What is limited, in the plural. */
  what: string;
  perPerson: number;
  perWebsite: number;
  atOnce: number;
  /** What to do then, for the error message. */
  advice?: string;
}

/** Limits a long operation for each person, each website and this process, so that nobody takes everybody's slots. */
export class OperationLimits {
  readonly #persons: ConcurrencyLimitPerKey;
  readonly #websites: ConcurrencyLimitPerKey;
  readonly #all: ConcurrencyLimit;

  constructor({ what, perPerson, perWebsite, atOnce, advice = "try again" }: OperationLimitsOptions) {
    const refusal = (whose: string) =>
      `Other ${what} ${whose} under way; wait until one of them has ended, then ${advice}.`;
    this.#persons = new ConcurrencyLimitPerKey(perPerson, refusal("of yours are"));
    this.#websites = new ConcurrencyLimitPerKey(perWebsite, refusal("of this website are"));
    this.#all = new ConcurrencyLimit(atOnce, refusal("on this server are"));
  }

  /** Takes a slot until the result is disposed of. @throws AppError `conflict`. */
  begin(personId: string, websiteId: string): Disposable {
    using begun = new DisposableStack();
    begun.use(this.#persons.begin(personId));
    begun.use(this.#websites.begin(websiteId));
    begun.use(this.#all.begin());
    return begun.move();
  }
}
