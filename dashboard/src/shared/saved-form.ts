import type { UseFormReturnType } from "@mantine/form";

/** Takes over what was saved. What has been typed since it was sent stays, and is unsaved. */
export function takeSaved<Values extends Record<string, string>>(
  form: UseFormReturnType<Values>,
  sent: Values,
  saved: Values,
): void {
  const typed = form.getValues();
  const since = Object.entries(typed).filter(([name, value]) => value !== sent[name]);
  form.setInitialValues(saved);
  form.setValues({ ...saved, ...Object.fromEntries(since) });
  form.clearErrors();
}
