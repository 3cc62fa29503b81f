import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Logo } from "../../shared/logo.tsx";
import { useTabTitle } from "../../shared/page.tsx";
import classes from "./auth-layout.module.css";

interface AuthLayoutProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Shown below the card. */
  foot?: ReactNode;
}

/** The layout of the pages for signed-out users. */
export function AuthLayout({ title, description, children, foot }: AuthLayoutProps): ReactNode {
  useTabTitle(title);
  return (
    <main className={classes.root}>
      <div className={classes.column}>
        <div className={classes.mark}>
          <Logo size={36} />
          Rostrum
        </div>
        <div className={classes.card}>
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {description && (
              <Text component="div" size="sm" c="dimmed" mt={4}>
                {description}
              </Text>
            )}
          </div>
          {children}
        </div>
        {foot && (
          <Text component="div" size="sm" c="dimmed" className={classes.foot}>
            {foot}
          </Text>
        )}
      </div>
    </main>
  );
}
