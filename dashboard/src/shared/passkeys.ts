/** The browser's side of passkeys; loaded on first use. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/browser";
import { ExplainedError } from "./explained-error.ts";

/** Browsers offer passkeys only on https and localhost. */
export function hasPasskeys(): boolean {
  return window.isSecureContext && "PublicKeyCredential" in window;
}

/** `options`: from the service. @throws ExplainedError, also if the user cancels. */
export async function createPasskey(options: object): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  try {
    return await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON });
  } catch (error) {
    throw explain(error);
  }
}

/** `options`: from the service. @throws ExplainedError, also if the user cancels. */
export async function askForPasskey(options: object): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  try {
    return await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
  } catch (error) {
    throw explain(error);
  }
}

/** Browsers report few distinct errors, so that pages learn little about the device. */
function explain(error: unknown): ExplainedError {
  const name = error instanceof Error ? error.name : "";
  return new ExplainedError(SENTENCES[name] ?? "The browser could not use the passkey. Try again.");
}

const SENTENCES: Record<string, string> = {
  NotAllowedError: "It was cancelled or took too long. Try again.",
  AbortError: "It was cancelled. Try again.",
  InvalidStateError: "This device already has a passkey for your account.",
  NotSupportedError: "This device cannot store this kind of passkey. Try another one.",
  SecurityError: "Passkeys do not work at this address. Open the dashboard at its own https address.",
};
