import { AppError } from "../../domain/system/errors.ts";
import { FairQueue } from "../../domain/system/fair-queue.ts";

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
  readonly #options: OperationLimitsOptions;
  readonly #persons: FairQueue;
  readonly #websites: FairQueue;
  readonly #all: FairQueue;

  constructor(options: OperationLimitsOptions) {
    this.#options = options;
    this.#persons = new FairQueue({ capacity: Infinity, perKey: options.perPerson });
    this.#websites = new FairQueue({ capacity: Infinity, perKey: options.perWebsite });
    this.#all = new FairQueue({ capacity: options.atOnce });
  }

  /** Takes a slot until the result is disposed of. @throws AppError `conflict` at once if there is none. */
  begin(personId: string, websiteId: string): Disposable {
    using begun = new DisposableStack();
    begun.use(this.#persons.tryEnter(personId) ?? this.#refuse("of yours are"));
    begun.use(this.#websites.tryEnter(websiteId) ?? this.#refuse("of this website are"));
    begun.use(this.#all.tryEnter("") ?? this.#refuse("on this server are"));
    return begun.move();
  }

  #refuse(whose: string): never {
    const { what, advice = "try again" } = this.#options;
    throw new AppError(
      "conflict",
      `Other ${what} ${whose} under way; wait until one of them has ended, then ${advice}.`,
    );
  }
}
