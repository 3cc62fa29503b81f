import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import classes from "./code-block.module.css";

interface CodeBlockProps {
  code: string;
  /** What it is, for those who listen, and for the copy button: “the request”. */
  label: string;
  /** Above it: a file name, a language. */
  title?: string | undefined;
  /** Long lines are broken, not scrolled. */
  wrap?: boolean | undefined;
  /** For secrets and such: what is shown. What is copied stays `code`. */
  shown?: string | undefined;
  onCopied?: (() => void) | undefined;
}

/** Text of fixed width with a copy button. */
export function CodeBlock({ code, label, title, wrap = false, shown = code, onCopied }: CodeBlockProps): ReactNode {
  return (
    <div className={classes.root}>
      {title !== undefined && (
        <Text className={classes.title} size="xs" c="dimmed">
          {title}
        </Text>
      )}
      {/* It scrolls: those without a mouse need to reach it. */}
      <pre className={classes.code} data-wrap={wrap || undefined} tabIndex={0} role="region" aria-label={label}>
        <code>{shown}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={`Copy ${label}`} onCopied={onCopied} />
      </div>
    </div>
  );
}
