import type { UseFormReturnType } from "@mantine/form";
import { useEffect } from "react";

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

/** Takes over what somebody else saves. What is typed stays, and its field says what it would replace. */
export function useSavedByOthers<Values extends Record<string, string>>(
  form: UseFormReturnType<Values>,
  saved: Values,
): void {
  const key = JSON.stringify(saved);
  useEffect(() => {
    const before = form.getInitialValues();
    const typed = form.getValues();
    const changed = Object.entries(saved).filter(([name, value]) => value !== before[name]);
    const untouched = changed.filter(([name]) => typed[name] === before[name]);
    const replaced = changed.filter(([name, value]) => typed[name] !== before[name] && typed[name] !== value);
    form.setInitialValues(saved);
    if (untouched.length > 0) form.setValues({ ...typed, ...Object.fromEntries(untouched) });
    for (const [name, value] of replaced) {
      const what = value === "" ? "emptied this" : `changed this to “${value}”`;
      form.setFieldError(name, `Somebody else has ${what}. Saving replaces it.`);
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- The form is a new object at each rendering.
  }, [key]);
}
