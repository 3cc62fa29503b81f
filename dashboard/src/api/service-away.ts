/**
 * Detects when the service becomes unreachable and when it is back. A request without a response raises the suspicion
 * (client.ts, live.ts); a check confirms it and is repeated until the service responds again.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { buildUrl } from "./client.ts";
import { SERVICE_BACK, SERVICE_SILENT } from "./service-events.ts";

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;
const TIMEOUT_MS = 10_000;

export interface ServiceState {
  isAway: boolean;
  /** Retries now instead of waiting for the next attempt. */
  retry: () => void;
}

export function useServiceAway(): ServiceState {
  const client = useQueryClient();
  const [isAway, setAway] = useState(false);
  const monitor = useRef<Monitor | null>(null);
  useEffect(() => {
    const started = new Monitor(setAway, () => {
      void client.invalidateQueries();
      window.dispatchEvent(new Event(SERVICE_BACK));
    });
    monitor.current = started;
    return () => started.close();
  }, [client]);
  return { isAway, retry: () => void monitor.current?.check() };
}

class Monitor {
  readonly #onAway: (isAway: boolean) => void;
  readonly #onBack: () => void;
  readonly #closing = new AbortController();
  #isAway = false;
  #isChecking = false;
  #failures = 0;
  #timer: number | undefined;

  constructor(onAway: (isAway: boolean) => void, onBack: () => void) {
    this.#onAway = onAway;
    this.#onBack = onBack;
    const { signal } = this.#closing;
    window.addEventListener(SERVICE_SILENT, () => void (this.#isAway || this.check()), { signal });
    for (const name of ["online", "focus"]) {
      window.addEventListener(name, () => void (this.#isAway && this.check()), { signal });
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    clearTimeout(this.#timer);
    const isThere = await answers(this.#closing.signal);
    this.#isChecking = false;
    if (this.#closing.signal.aborted) return;
    const wasAway = this.#isAway;
    this.#isAway = !isThere;
    if (wasAway !== this.#isAway) this.#onAway(this.#isAway);
    if (isThere) {
      this.#failures = 0;
      if (wasAway) this.#onBack();
      return;
    }
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failures, MAX_WAIT_MS);
    this.#failures += 1;
    // Jitter, so that tabs do not all check at once when the service is back.
    this.#timer = window.setTimeout(() => void this.check(), wait * (0.75 + Math.random() / 2));
  }
}

/** A signed-out client gets a response, too. */
async function answers(signal: AbortSignal): Promise<boolean> {
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const { status } = await fetch(buildUrl("/session"), { signal: AbortSignal.any([signal, timeout]) });
    return status !== 502 && status !== 503 && status !== 504;
  } catch {
    return false;
  }
}
