import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./empty-state.module.css";

interface EmptyStateProps {
  /** An icon of 28 pixels. */
  icon?: ReactNode;
  /** “No API keys yet”. */
  title: string;
  /** What to do next, in one or two sentences. */
  children?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
}

/** Shown in place of an empty list: why it is empty, and what to do. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps): ReactNode {
  return (
    <Stack className={classes.root} align="center" gap="sm">
      {icon && (
        <span className={classes.icon} aria-hidden>
          {icon}
        </span>
      )}
      <Title order={2} size="h4" ta="center">
        {title}
      </Title>
      {children && (
        <Text component="div" size="sm" c="dimmed" ta="center" maw={460}>
          {children}
        </Text>
      )}
      {actions && <div className={classes.actions}>{actions}</div>}
    </Stack>
  );
}
