import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import classes from "./code-block.module.css";

interface CodeBlockProps {
  code: string;
  /** What it is, for screen readers and the copy button: “the request”. */
  label: string;
  /** Shown above it: a file name, a language. */
  title?: string | undefined;
  /** Wraps long lines instead of scrolling. */
  wrap?: boolean | undefined;
  /** The text to show instead, such as a masked secret; `code` is still what is copied. */
  shown?: string | undefined;
  onCopied?: (() => void) | undefined;
}

/** Monospaced text with a copy button. */
export function CodeBlock({ code, label, title, wrap = false, shown = code, onCopied }: CodeBlockProps): ReactNode {
  return (
    <div className={classes.root}>
      {title !== undefined && (
        <Text className={classes.title} size="xs" c="dimmed">
          {title}
        </Text>
      )}
      {/* The block scrolls, so keyboard users must be able to focus it. */}
      <pre className={classes.code} data-wrap={wrap || undefined} tabIndex={0} role="region" aria-label={label}>
        <code>{shown}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={`Copy ${label}`} onCopied={onCopied} />
      </div>
    </div>
  );
}
