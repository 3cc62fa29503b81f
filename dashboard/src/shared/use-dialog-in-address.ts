import { useDisclosure } from "@mantine/hooks";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";

/** The part of an address that opens the dialog with which the page creates something. */
export const CREATING = "new";

/** The state of that dialog, which the command palette opens by the page's address. */
export function useDialogInAddress(): ReturnType<typeof useDisclosure> {
  const disclosure = useDisclosure(false);
  const [, { open }] = disclosure;
  // Not `location`, which changes while the page before is still shown: that would open its dialog.
  const isNamed = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.hash === CREATING });
  const navigate = useNavigate();
  useEffect(() => {
    if (!isNamed) return;
    open();
    void navigate({ to: ".", search: true, hash: "", replace: true, resetScroll: false });
  }, [isNamed, open, navigate]);
  return disclosure;
}
