/** Offers to undo an action that was carried out without a confirmation. */
import { Button, Group, Text } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { KeyHint } from "./key-hint.tsx";
import { useShortcuts } from "./shortcuts.tsx";
import { toasts } from "./toasts.ts";

const SHOWN_MS = 10_000;
/** Maximum number of visible toasts; `z` also undoes earlier actions. */
const MAX_SHOWN = 2;

interface Undoable {
  message: string;
  /** Time until the action takes effect; the message counts it down. Left out: it has taken effect, and can be undone for ten seconds. */
  seconds?: number | undefined;
  /** @returns whether the action was settled; if not, the toast stays. */
  undo: () => Promise<boolean>;
}

export type OfferUndo = (undoable: Undoable) => () => void;

/**
 * @returns a function that shows the toast, and returns a function that withdraws it. Meanwhile `z` undoes the latest action. The
 * toast stays open when the user goes to another page.
 */
export function useUndoToast(): OfferUndo {
  const offers = useMemo(() => new Offers(), []);
  useShortcuts([{ keys: "z", label: "Undo", run: () => void offers.latest?.run() }]);
  useEffect(() => () => offers.clear(), [offers]);

  return ({ message, seconds, undo }) => {
    let isUndoing = false;
    const shownMs = seconds === undefined ? SHOWN_MS : seconds * 1_000;
    const offer: Offer = {
      isShown: true,
      close: () => undefined,
      run: async () => {
        if (isUndoing) return;
        isUndoing = true;
        const isSettled = await undo();
        isUndoing = false;
        if (isSettled) withdraw();
      },
    };
    const expiry = setTimeout(() => offers.remove(offer), shownMs);
    function withdraw(): void {
      clearTimeout(expiry);
      offers.remove(offer);
      offer.close();
    }
    offers.makeSpace();
    offer.close = toasts.show({
      shownMs,
      onClose: () => {
        // Closed by the user; others close when their time is over, or to make space.
        if (offer.isShown) offers.remove(offer);
      },
      message: (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" lineClamp={2}>
            {message}
            {seconds !== undefined && <Countdown seconds={seconds} />}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => void offer.run()}
            rightSection={<HintOfLatest offers={offers} offer={offer} />}
          >
            Undo
          </Button>
        </Group>
      ),
    });
    offers.add(offer);
    return withdraw;
  };
}

interface Offer {
  isShown: boolean;
  close: () => void;
  run: () => Promise<void>;
}

/** The actions that can be undone, latest last. */
class Offers {
  #all: Offer[] = [];
  readonly #listeners = new Set<() => void>();

  get latest(): Offer | undefined {
    return this.#all.at(-1);
  }

  add(offer: Offer): void {
    this.#change([...this.#all, offer]);
  }

  remove(offer: Offer): void {
    this.#change(this.#all.filter((one) => one !== offer));
  }

  /** The toasts stay, without the shortcut. */
  clear(): void {
    this.#change([]);
  }

  /** Hides the earliest toasts to make space for another. */
  makeSpace(): void {
    const shown = this.#all.filter(({ isShown }) => isShown);
    for (const offer of shown.slice(0, Math.max(0, shown.length + 1 - MAX_SHOWN))) {
      offer.isShown = false;
      offer.close();
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #change(all: Offer[]): void {
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}

/** The shortcut applies to the latest action only. */
function HintOfLatest({ offers, offer }: { offers: Offers; offer: Offer }): ReactNode {
  const isLatest = useSyncExternalStore(offers.subscribe, () => offers.latest === offer);
  return isLatest ? <KeyHint keys="z" /> : null;
}

/** “in 9 s”. Not announced each second: the message says what will happen. */
function Countdown({ seconds }: { seconds: number }): ReactNode {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const end = performance.now() + seconds * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((end - performance.now()) / 1_000))), 250);
    return () => clearInterval(timer);
  }, [seconds]);
  return <span aria-hidden>{` in ${left} s`}</span>;
}
