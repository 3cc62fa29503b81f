import { Notification, Portal } from "@mantine/core";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { type ShownToast, toasts } from "./toasts.ts";
import classes from "./toast-list.module.css";

/** Others wait until one of these is closed. */
const MAX_SHOWN = 5;

/** The toasts, at the corner of the window. None closes by itself while the pointer or the focus is on one. */
export function ToastList(): ReactNode {
  const all = useSyncExternalStore(toasts.subscribe, toasts.list);
  const [isHeld, setHeld] = useState(false);
  // A toast that is closed under the pointer tells nothing of it.
  if (isHeld && all.length === 0) setHeld(false);
  return (
    <Portal>
      <div
        className={classes.root}
        data-toasts
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {all.slice(0, MAX_SHOWN).map((toast) => (
          <ToastView key={toast.id} toast={toast} isHeld={isHeld} />
        ))}
      </div>
    </Portal>
  );
}

function ToastView({ toast, isHeld }: { toast: ShownToast; isHeld: boolean }): ReactNode {
  const { id, shownMs, message, title, color } = toast;
  useEffect(() => {
    if (shownMs === null || isHeld) return undefined;
    const timer = setTimeout(() => toasts.close(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, shownMs, isHeld]);
  return (
    <Notification
      className={classes.toast ?? ""}
      withBorder
      {...(title !== undefined && { title })}
      {...(color !== undefined && { color })}
      onClose={() => toasts.close(id)}
    >
      {message}
    </Notification>
  );
}
