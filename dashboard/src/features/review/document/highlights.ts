/** Highlights passages of the displayed article. */

/** By name, as in article.css; those of other names stay. */
export function setHighlights(shown: Document, ranges: Readonly<Record<string, readonly Range[]>>): void {
  const view = shown.defaultView;
  if (view === null || !("highlights" in CSS)) return;
  const { CSS: styles, Highlight: Made } = view;
  for (const [name, some] of Object.entries(ranges)) styles.highlights.set(name, new Made(...some));
}
