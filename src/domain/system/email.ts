import { singleLine } from "./foreign-text.ts";
import type { Millis } from "./time.ts";
import { describeTime } from "./time.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The URL that turns e-mails of this kind off. */
  unsubscribe?: string;
  /** Whether a POST to that URL does so at once (RFC 8058). */
  isOneClick?: boolean;
}

export type MailOutcome =
  | { kind: "sent" }
  /** The server will never accept it: the address is unknown, or the e-mail is unwanted. */
  | { kind: "refused"; error: string }
  /** The server may accept it later. `isAway`: it accepts no mail at present, so no other one need be tried. */
  | { kind: "failed"; error: string; isAway: boolean };

/** `websiteName`: null stands for all websites. */
export function invitationMail({ link, websiteName }: { link: string; websiteName: string | null }): Omit<Mail, "to"> {
  const name = websiteName === null ? null : quoteName(websiteName);
  const where = name === null ? "its websites" : name === NO_NAME ? name : `the website ${name}`;
  return {
    subject: subject(`Your invitation to ${name ?? "Rostrum"}`),
    text: paragraphs(
      `You are invited to Rostrum, where the articles of ${where} are reviewed and published.`,
      `Set your password here; the link works once, for 7 days:\n${link}`,
      "If you do not know what this is about, do nothing: without your password the account stays closed.",
    ),
  };
}

export function resetMail({ link }: { link: string }): Omit<Mail, "to"> {
  return {
    subject: "Set a new password",
    text: paragraphs(
      "An administrator of Rostrum has made a link for you to set a new password.",
      `It works once, for a day:\n${link}`,
      "Until you use it, your password stays as it is. If you asked for nothing of the kind, do nothing.",
    ),
  };
}

export function forgottenMail({ link }: { link: string }): Omit<Mail, "to"> {
  return {
    subject: "Set a new password",
    text: paragraphs(
      "Somebody, probably you, has forgotten the password of your account in Rostrum.",
      `Set a new one here; the link works once, for an hour:\n${link}`,
      "Until then your password stays as it is. If it was not you, do nothing.",
    ),
  };
}

export function confirmEmailMail({ link }: { link: string }): Omit<Mail, "to"> {
  return {
    subject: "Confirm your e-mail address",
    text: paragraphs(
      "Somebody, probably you, wants to use this e-mail address for an account in Rostrum.",
      `Confirm it here; the link works once, for a day:\n${link}`,
      "If it was not you, do nothing: nothing changes.",
    ),
  };
}

export function emailChangedMail({ link, email, at }: { link: string; email: string; at: Millis }): Omit<Mail, "to"> {
  return {
    subject: "Your e-mail address was changed",
    text: paragraphs(
      `The e-mail address of your account in Rostrum was changed to ${singleLine(email)} on ${describeTime(at)}.`,
      `If it was not you, take the account back here, within a week; it ends all sessions, and you choose a new password:\n${link}`,
    ),
  };
}

export function newDeviceMail({
  base,
  at,
  address,
  userAgent,
}: {
  base: string;
  at: Millis;
  address: string;
  userAgent: string;
}): Omit<Mail, "to"> {
  return {
    subject: "New sign-in to Rostrum",
    text: paragraphs(
      "Somebody signed in to your account from a browser that has not been used for it before.",
      `When: ${describeTime(at)}\nFrom: ${singleLine(address)}\nBrowser: ${singleLine(userAgent).slice(0, MAX_USER_AGENT) || "unknown"}`,
      `If it was you, there is nothing to do. If not, sign it out and change your password:\n${base}/dashboard/settings/account`,
    ),
  };
}

const MAX_USER_AGENT = 300;

/** Reports a change to how a person signs in; `what` is a sentence such as "Your password was changed". */
export function securityMail(what: string, { base, at }: { base: string; at: Millis }): Omit<Mail, "to"> {
  return {
    subject: subject(what),
    text: paragraphs(
      `${what} on ${describeTime(at)}.`,
      `If it was you, there is nothing to do. If not, sign in and look at your account, or ask the administrator of this service for help:\n${base}/dashboard/settings/account`,
    ),
  };
}

/** Quotes a name for strangers, so that it passes for no sentence of ours and has no link or address in it. */
function quoteName(name: string): string {
  const words = singleLine(name).split(" ");
  // Websites are often named after their host.
  const shown = words.length === 1 && HOST.test(name) ? words : words.filter((word) => !ADDRESS.test(word));
  const text = shown.join(" ").replaceAll(/["“”]/g, "").trim();
  return text === "" ? NO_NAME : `“${text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text}”`;
}

const HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u;
/** What mail programs may turn into a link: a scheme, an e-mail address, a host, a telephone number. */
const ADDRESS = /[:/@]|[\p{L}\p{N}]\.\p{L}{2}|\d{5}/u;
const NO_NAME = "a website without a name";
const MAX_NAME = 60;
const MAX_SUBJECT = 150;

export function subject(text: string): string {
  const one = singleLine(text);
  return one.length <= MAX_SUBJECT ? one : `${one.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`;
}

export function paragraphs(...all: (string | null)[]): string {
  return `${all.filter((one) => one !== null).join("\n\n")}\n`;
}
