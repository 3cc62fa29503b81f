/** @returns whether it is in the clipboard. Browsers offer the clipboard only on https and localhost; otherwise `document.execCommand` still works. */
export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return writeBySelection(value);
  }
}

function writeBySelection(value: string): boolean {
  // Append to the dialog, if there is one: its focus trap would take the focus back.
  const host = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  const active = document.activeElement;
  const field = document.createElement("textarea");
  field.value = value;
  field.style.position = "fixed";
  field.style.opacity = "0";
  host.append(field);
  field.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- There is no other way without TLS.
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (active instanceof HTMLElement) active.focus();
  }
}
