/** Languages that the form offers; others come with imports and the API. */
const TAGS =
  "ar bg ca cs da de de-AT de-CH el en en-GB en-US es es-MX et fa fi fr fr-CA he hi hr hu id it ja ko lt lv ms nb nl nl-BE pl pt pt-BR ro ru sk sl sr sv th tr uk vi zh-Hans zh-Hant".split(
    " ",
  );

const NAMES = new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" });

/** The options of the form, by name; `current` is always among them. */
export function listLanguages(current: string): { value: string; label: string }[] {
  const tags = current === "" || TAGS.includes(current) ? TAGS : [...TAGS, current];
  return tags
    .map((value) => ({ value, label: describeLanguage(value) }))
    .toSorted((one, other) => one.label.localeCompare(other.label, "en"));
}

/** Its name, with the tag. */
export function describeLanguage(tag: string): string {
  try {
    return `${NAMES.of(tag) ?? tag} (${tag})`;
  } catch {
    return tag;
  }
}
