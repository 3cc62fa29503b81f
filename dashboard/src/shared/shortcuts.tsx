/**
 * Keyboard shortcuts. A page registers its shortcuts while it is shown; `?` lists them all. Single letters are ignored while
 * the user types or a dialog is open, and can be turned off (WCAG 2.1.4).
 */
import { createContext, type ReactNode, useContext, useLayoutEffect, useMemo, useRef, useState } from "react";
import { matches, type KeyStep, toStep, parseSteps } from "./keys.ts";
import { readChoice, saveChoice } from "../api/stored-choice.ts";

export interface Shortcut {
  /**
   * One key (`a`, `/`, `?`, `Escape`, `ArrowDown`), with `mod+` (⌘ on a Mac, else Ctrl), `alt+` or `shift+` before it, or a sequence of
   * keys (`g a`). Shortcuts with `mod+` work while the user types, too.
   */
  keys: string;
  /** The action's name in the list: “Approve”. */
  label: string;
  run: () => void;
  /** The heading in the list; default: “This page”. */
  group?: string | undefined;
  /** Disabled now, but still listed. */
  disabled?: boolean | undefined;
  /** Ignores key repeat; for decisions. */
  once?: boolean | undefined;
}

/** Registers the shortcuts while the component is mounted. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const registry = useRegistry();
  // Handlers are looked up when a key is pressed, so a new closure at each rendering costs nothing. Layout effects ensure
  // that a key acts on what is on the screen, never on what was there before.
  const current = useRef(shortcuts);
  useLayoutEffect(() => {
    current.current = shortcuts;
  });
  useLayoutEffect(() => registry.add(() => current.current), [registry]);
}

/** Returns the current shortcuts when called. */
export function useShortcutList(): () => readonly Shortcut[] {
  const registry = useRegistry();
  return () => registry.list();
}

/** Whether shortcuts without `mod+` are on, and a function to turn them on or off. */
export function useShortcutSwitch(): [boolean, (isOn: boolean) => void] {
  const registry = useRegistry();
  const [isOn, setOn] = useState(registry.isOn);
  return [
    isOn,
    (next) => {
      registry.turn(next);
      setOn(next);
    },
  ];
}

/** No shortcut works meanwhile, such as while a dialog is loaded into which somebody types already. */
export function useShortcutPause(isPaused: boolean): void {
  const registry = useRegistry();
  useLayoutEffect(() => (isPaused ? registry.pause() : undefined), [registry, isPaused]);
}

export function ShortcutProvider({ children }: { children: ReactNode }): ReactNode {
  const registry = useMemo(() => new Registry(), []);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => registry.press(event);
    const onPointer = () => registry.endTyping();
    document.addEventListener("keydown", onKey);
    document.addEventListener("pointerdown", onPointer);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("pointerdown", onPointer);
    };
  }, [registry]);
  return <RegistryContext value={registry}>{children}</RegistryContext>;
}

const RegistryContext = createContext<Registry | null>(null);

function useRegistry(): Registry {
  const registry = useContext(RegistryContext);
  if (registry === null) throw new Error("shortcuts were used outside ShortcutProvider");
  return registry;
}

const STORED = "rostrum.shortcuts";
/** Time limit for the second key of `g a`. */
const SEQUENCE_MS = 2_000;
/** People who go on typing pause for less time than this. */
const TYPING_PAUSE_MS = 1_500;

class Registry {
  readonly #sources = new Set<() => readonly Shortcut[]>();
  #pressed: KeyStep[] = [];
  #pressedAt = 0;
  #pauses = 0;
  /** The field in which a character was typed last, and when. */
  #typedIn: { field: HTMLElement; at: number } | null = null;
  isOn = readChoice(STORED) !== "off";

  add(source: () => readonly Shortcut[]): () => void {
    this.#sources.add(source);
    return () => this.#sources.delete(source);
  }

  /** @returns a function that ends it. */
  pause(): () => void {
    this.#pauses += 1;
    return () => {
      this.#pauses -= 1;
    };
  }

  turn(isOn: boolean): void {
    this.isOn = isOn;
    saveChoice(STORED, isOn ? "on" : "off");
  }

  /** If two have the same keys, the later one wins: the page overrides the shell. */
  list(): readonly Shortcut[] {
    const all = [...this.#sources].toReversed().flatMap((source) => source());
    return all.filter(({ keys }, index) => all.findIndex((other) => other.keys === keys) === index);
  }

  press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return;
    if (this.#pauses > 0 || isDialogOpen()) return;
    if (this.#isTypedOn(event)) return;
    const step = toStep(event);
    if (!step.mod && (!this.isOn || event.altKey || isTyping(event.target))) return;
    const isLate = event.timeStamp - this.#pressedAt > SEQUENCE_MS;
    this.#pressed = [...(isLate ? [] : this.#pressed), step].slice(-2);
    this.#pressedAt = event.timeStamp;
    const found = this.#find();
    if (found === undefined) return;
    event.preventDefault();
    this.#pressed = [];
    if (!(event.repeat && found.once === true)) found.run();
  }

  endTyping(): void {
    this.#typedIn = null;
  }

  /** Whether somebody goes on typing although the field is gone, such as when a colleague has deleted what they answer. */
  #isTypedOn({ target, key, ctrlKey, metaKey, timeStamp: at }: KeyboardEvent): boolean {
    if (target instanceof HTMLElement && isTyping(target)) {
      const isCharacter = key.length === 1 && !ctrlKey && !metaKey;
      this.#typedIn = isCharacter ? { field: target, at } : null;
      return false;
    }
    const last = this.#typedIn;
    if (last === null || last.field.isConnected || at - last.at > TYPING_PAUSE_MS) return false;
    last.at = at;
    return true;
  }

  /** Matches the last two keys as a sequence, else the last key alone. */
  #find(): Shortcut | undefined {
    const shortcuts = this.list().filter(({ disabled }) => disabled !== true);
    for (const pressed of [this.#pressed, this.#pressed.slice(-1)]) {
      const found = shortcuts.find(({ keys }) => matches(parseSteps(keys), pressed));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function isModifier(key: string): boolean {
  return key === "Shift" || key === "Control" || key === "Alt" || key === "Meta";
}

/** Closed lists and menus stay in the document, hidden. */
function isDialogOpen(): boolean {
  const found = document.querySelectorAll('[role="dialog"][aria-modal="true"], [role="menu"], [role="listbox"]');
  return [...found].some((element) => element.checkVisibility());
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit", "file"].includes(target.type);
}
