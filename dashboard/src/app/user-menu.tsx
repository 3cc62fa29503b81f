import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import IconKeyboard from "@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs";
import IconLogout from "@tabler/icons-react/dist/esm/icons/IconLogout.mjs";
import IconSelector from "@tabler/icons-react/dist/esm/icons/IconSelector.mjs";
import IconUserCircle from "@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs";
import type { ReactNode } from "react";
import { del } from "../api/client.ts";
import { useSession } from "../shared/session.tsx";
import { useShortcutHelp } from "./shortcut-help.tsx";
import classes from "./user-menu.module.css";

export function UserMenu({ onSignedOut }: { onSignedOut: () => void }): ReactNode {
  const { account } = useSession();
  const openShortcuts = useShortcutHelp();
  const signOut = useMutation({
    mutationFn: () => del("/session"),
    onSuccess: onSignedOut,
  });
  const name = account.name === "" ? account.email : account.name;
  return (
    <Menu position="top-start" width={248} withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <span className={classes.avatar} aria-hidden>
            {Array.from(name)[0]?.toUpperCase()}
          </span>
          <span className={classes.texts}>
            <span className={classes.name}>{name}</span>
            {account.name !== "" && <span className={classes.email}>{account.email}</span>}
          </span>
          <VisuallyHidden>: account and settings</VisuallyHidden>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/settings/account" leftSection={<IconUserCircle size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <ColorScheme />
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => signOut.mutate()}
          disabled={signOut.isPending}
          closeMenuOnClick={false}
        >
          {signOut.isError ? "Signing out failed: try again" : "Sign out"}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ColorScheme(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
      <Menu.RadioItem value="light">Light</Menu.RadioItem>
      <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
      <Menu.RadioItem value="auto">System</Menu.RadioItem>
    </Menu.RadioGroup>
  );
}
