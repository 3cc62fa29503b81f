/** What needs attention at an endpoint now, in a sentence or two; null if nothing does. */
import { X509Certificate } from "node:crypto";
import type { Millis } from "../system/time.ts";
import { firstWarningAt, STREAK } from "./delivery.ts";
import type { Health } from "./endpoint.ts";
import { DAY_MS, describeTime } from "../system/time.ts";

const CERTIFICATE_WARNING_MS = 14 * DAY_MS;

export interface EndpointFacts extends Health {
  ca: string | null;
  /** Whether the current key opens its secrets. */
  isOpen: boolean;
}

/** The most serious warning. `disableAfter` is the number of consecutive failures that disable an endpoint. */
export function describeWarning(endpoint: EndpointFacts, disableAfter: number, now: Millis): string | null {
  const { state, consecutiveFailures, failedAttempts } = endpoint;
  if (!endpoint.isOpen) {
    return "Nothing can be sent: its secrets were encrypted with another key. Ask the operator of the service to set ROSTRUM_SECRET_KEY to the earlier key. If that is lost, delete this webhook and create a new one.";
  }
  if (state === "disabled") {
    return `It is disabled. ${endpoint.disabledReason ?? ""} Its events are kept: enable it to send them.`;
  }
  if (state === "paused") return null;
  const last = endpoint.lastError === null ? "" : ` The last error: ${endpoint.lastError}`;
  if (consecutiveFailures >= firstWarningAt(disableAfter)) {
    const often = consecutiveFailures === 1 ? "once" : `${consecutiveFailures} times in a row`;
    return `It has failed ${often}; after ${disableAfter} it is disabled.${last}`;
  }
  if (failedAttempts >= STREAK) {
    return `Its last ${failedAttempts} attempts failed. Each delivery is retried several times before it counts as failed.${last}`;
  }
  return endpoint.ca === null ? null : certificateWarning(endpoint.ca, now);
}

function certificateWarning(ca: string, now: Millis): string | null {
  const endsAt = new X509Certificate(ca).validToDate.getTime();
  if (endsAt - now > CERTIFICATE_WARNING_MS) return null;
  const verb = endsAt <= now ? "ended" : "ends";
  return `The certificate authority that it trusts ${verb} on ${describeTime(endsAt)}: give it a new one.`;
}
