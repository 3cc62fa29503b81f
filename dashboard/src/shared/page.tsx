/** The layout of every page: one width, one heading, and the title of the browser's tab. */
import { Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import classes from "./page.module.css";

interface PageHeaderProps {
  /** The page's only h1. */
  title: string;
  /** Title of the browser's tab, if it differs from the heading. */
  tabTitle?: string | undefined;
  /** Shown next to the heading: a badge. */
  aside?: ReactNode;
  description?: ReactNode;
  /** Buttons; the most important one last. */
  actions?: ReactNode;
  /** Shown above the heading: a link to the parent page (`BackLink`). */
  back?: ReactNode;
}

interface PageProps extends PageHeaderProps {
  /** `narrow` for forms. */
  width?: "narrow" | undefined;
  children: ReactNode;
}

export function Page({ width, children, ...header }: PageProps): ReactNode {
  return (
    <div className={classes.page} data-width={width}>
      <PageHeader {...header} />
      {children}
    </div>
  );
}

export function PageHeader({ title, tabTitle = title, aside, description, actions, back }: PageHeaderProps): ReactNode {
  useTabTitle(tabTitle);
  return (
    <header className={classes.header}>
      <div className={classes.texts}>
        {back}
        <div className={classes.heading}>
          {/* The shell focuses it after each navigation. */}
          <Title order={1} className={classes.title} tabIndex={-1}>
            {title}
          </Title>
          {aside}
        </div>
        {description && (
          <Text component="div" size="sm" c="dimmed" maw={680}>
            {description}
          </Text>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}

/** A part of a page with its own heading. */
export function Section(props: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const { title, description, actions, children } = props;
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.sectionHeader}>
        <div className={classes.sectionTexts}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {description && (
            <Text component="div" size="sm" c="dimmed" mt={2} maw={680}>
              {description}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Rostrum`;
  }, [title]);
}
