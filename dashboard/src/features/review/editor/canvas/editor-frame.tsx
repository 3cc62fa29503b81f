/** The page one writes on: one row above, the canvas, and a panel beside it that folds away. */
import { ActionIcon, Tooltip, VisuallyHidden } from "@mantine/core";
import IconLayoutSidebarRight from "@tabler/icons-react/dist/esm/icons/IconLayoutSidebarRight.mjs";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { KeyHint } from "../../../../shared/key-hint.tsx";
import { useTabTitle } from "../../../../shared/page.tsx";
import { useShortcuts } from "../../../../shared/shortcuts.tsx";
import classes from "./editor-frame.module.css";
import type { FoldingPanel } from "./use-panel.ts";

/** What the page says about the article beside the text itself. */
export interface EditorPage {
  /** For screen readers and the browser's tab. */
  title: string;
  back: ReactNode;
  /** Badges of the article's state. */
  badges?: ReactNode;
  /** One line: where the text is saved, and who else has the article open. */
  state: ReactNode;
  /** Buttons; the most important one last. */
  actions: ReactNode;
  /** Shown above the headline. */
  notices?: ReactNode;
}

interface EditorFrameProps extends EditorPage {
  root: RefObject<HTMLDivElement | null>;
  panel: FoldingPanel;
  /** The panel's content. */
  beside: ReactNode;
  children: ReactNode;
}

export function EditorFrame(props: EditorFrameProps): ReactNode {
  const { root, title, back, badges, state, actions, notices, panel, beside, children } = props;
  const shown = useRef<HTMLElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  /** What had the focus before a key unfolded the panel. */
  const left = useRef<HTMLElement | null>(null);
  const isMoving = useRef(false);
  useTabTitle(title);

  useShortcuts([
    {
      keys: "mod+;",
      label: panel.isOpen ? "Hide the details" : "Show the details",
      run: () => {
        if (!panel.isOpen && document.activeElement instanceof HTMLElement) left.current = document.activeElement;
        isMoving.current = !panel.isOpen || shown.current?.contains(document.activeElement) === true;
        panel.toggle();
      },
    },
  ]);
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    if (panel.isOpen) shown.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
    else (left.current?.isConnected === true ? left.current : toggle.current)?.focus();
  }, [panel.isOpen]);

  return (
    <div ref={root} className={classes.page} data-canvas data-panel={panel.isOpen ? "open" : "folded"}>
      <header className={classes.top}>
        <VisuallyHidden>
          {/* The shell focuses it after each navigation. */}
          <h1 tabIndex={-1}>{title}</h1>
        </VisuallyHidden>
        <div className={classes.back}>{back}</div>
        {badges !== undefined && <div className={classes.badges}>{badges}</div>}
        <div className={classes.state}>{state}</div>
        <div className={classes.actions}>{actions}</div>
        <Tooltip
          withinPortal={false}
          floatingStrategy="fixed"
          label={
            <>
              {panel.isOpen ? "Hide the details" : "Show the details"} <KeyHint keys="mod+;" />
            </>
          }
        >
          <ActionIcon
            ref={toggle}
            className={classes.toggle}
            variant={panel.isOpen ? "light" : "subtle"}
            color="gray"
            size={36}
            aria-label="Details panel"
            aria-expanded={panel.isOpen}
            aria-keyshortcuts="Control+; Meta+;"
            onClick={panel.toggle}
          >
            <IconLayoutSidebarRight size={20} />
          </ActionIcon>
        </Tooltip>
      </header>
      <div className={classes.body}>
        <div className={classes.canvas}>
          {notices !== undefined && <div className={classes.notices}>{notices}</div>}
          {children}
        </div>
        {panel.isOpen && (
          <aside ref={shown} className={classes.panel} aria-label="Details, preview and advice">
            {beside}
          </aside>
        )}
      </div>
    </div>
  );
}
