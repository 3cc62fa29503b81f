/** A text as Markdown that says the same and means nothing else: every ASCII mark of punctuation may be escaped. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
}
