import { AppError } from "../../domain/errors.ts";

/** So many at once of what takes long. */
export class AtMost {
  readonly #most: number;
  readonly #sentence: string;
  #underWay = 0;

  /** `sentence`: for whoever comes when all are under way. */
  constructor(most: number, sentence: string) {
    this.#most = most;
    this.#sentence = sentence;
  }

  /** Until it is disposed of. @throws AppError `conflict`. */
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
