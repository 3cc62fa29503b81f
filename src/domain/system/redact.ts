/** Removes secrets from text for logs and audit entries. */
const REDACTED = "[redacted]";

/** API keys, access tokens and signing secrets, also percent-encoded as in an address. */
const KEY = /(?:r[sm](?:_|%5[Ff])|whsec(?:_|%5[Ff]))[\w+/=%-]{8,}/g;
/** User and password in an address, e.g. of a database or a mail server. */
const CREDENTIALS = /:\/\/[^\s/@"]+@/g;
/** Length of the tokens of sessions and one-time links (one-time-token.ts). */
const TOKEN_LENGTH = 43;
const WORD = /[\w-]+/g;
/** What an escape of JSON or of a URL leaves at the start of a word. */
const ESCAPED: Readonly<Record<string, RegExp>> = { "\\": /^(?:[bfnrt]|u[\dA-Fa-f]{4})/, "%": /^[\dA-Fa-f]{2}/ };

/** The text, which may be JSON, without API keys, access tokens, signing secrets, tokens and passwords in addresses. */
export function redact(text: string): string {
  return text
    .replaceAll(KEY, (found) => found.slice(0, found.search(/[_%]/)) + "_" + REDACTED)
    .replaceAll(CREDENTIALS, `://${REDACTED}@`)
    .replaceAll(WORD, (word, at: number, whole: string) => {
      const escaped = ESCAPED[whole[at - 1] ?? ""]?.exec(word)?.[0] ?? "";
      if (word.length === TOKEN_LENGTH + escaped.length) return escaped + REDACTED;
      return word.length === TOKEN_LENGTH ? REDACTED : word;
    });
}
