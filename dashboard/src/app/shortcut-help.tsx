/** The list of keyboard shortcuts, opened with `?`. */
import { Kbd, Modal, Switch, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { keyNames } from "../shared/keys.ts";
import { type Shortcut, useShortcutList, useShortcutSwitch } from "../shared/shortcuts.tsx";
import classes from "./shortcut-help.module.css";

/** @returns a function that opens the list. */
export function useShortcutHelp(): () => void {
  return useContext(HelpContext);
}

export function ShortcutHelpProvider({ children }: { children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<readonly Shortcut[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [isOn, turn] = useShortcutSwitch();
  const list = useShortcutList();
  const open = useCallback(() => {
    setShown(list());
    setOpen(true);
  }, [list]);
  const groups = Map.groupBy(shown, ({ group }) => group ?? "This page");
  return (
    <HelpContext value={open}>
      {children}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts" size="lg">
        <div className={classes.groups}>
          {[...groups].map(([group, shortcuts]) => (
            <section key={group} aria-label={group}>
              <Text fw={600} size="sm" mb={6}>
                {group}
              </Text>
              <dl className={classes.list}>
                {shortcuts.map(({ keys, label }) => (
                  <div key={keys} className={classes.row}>
                    <dt>{label}</dt>
                    <dd>
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <Switch
          mt="lg"
          label="Single-key shortcuts"
          description="Turn them off if speech input or another tool triggers them by accident."
          checked={isOn}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </Modal>
    </HelpContext>
  );
}

function Keys({ keys }: { keys: string }): ReactNode {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return keyNames(keys, isMac).map((step, index, steps) => (
    <span key={steps.slice(0, index + 1).join(" ")}>
      {index > 0 && <span className={classes.then}> then </span>}
      {step.map((name) => (
        <Kbd key={name} size="xs" ml={3}>
          {name}
        </Kbd>
      ))}
    </span>
  ));
}

const HelpContext = createContext<() => void>(() => undefined);
