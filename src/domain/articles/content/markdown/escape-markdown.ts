/** Escapes a text so that Markdown shows it literally: any ASCII punctuation character may be escaped. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
}
