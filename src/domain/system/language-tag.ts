/** Languages of articles: BCP 47 tags such as `de` or `pt-BR`. */

const MAX_LENGTH = 100;

/** The tag in its usual spelling; undefined for what is no tag. Underscores, as in `pt_BR`, are accepted. */
export function parseLanguageTag(text: string): string | undefined {
  const given = text.trim().replaceAll("_", "-");
  if (given.length > MAX_LENGTH) return undefined;
  try {
    return Intl.getCanonicalLocales(given)[0];
  } catch {
    return undefined;
  }
}
