/** How the text is shown and stored: rarely changed, so out of the way at the toolbar's end. */
import { ActionIcon, Popover, SegmentedControl, Stack, Text, Tooltip } from "@mantine/core";
import IconAdjustmentsHorizontal from "@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs";
import { type ReactNode, useRef, useState } from "react";
import { KeyHint } from "../../../../shared/key-hint.tsx";
import type { EditorValues } from "../values.ts";
import type { View } from "./editors.ts";
import classes from "./tool-row.module.css";

interface ViewMenuProps {
  view: View;
  onView: (view: View) => void;
  source: EditorValues["source"];
  onSource: (source: EditorValues["source"]) => void;
}

export function ViewMenu({ view, onView, source, onSource }: ViewMenuProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      trapFocus
      withinPortal={false}
      floatingStrategy="fixed"
      shadow="lg"
    >
      <Tooltip label="View and format" disabled={isOpen}>
        <Popover.Target>
          <ActionIcon
            ref={target}
            className={classes.tool}
            data-toolbar-toggle
            variant="subtle"
            color="gray"
            aria-label="View and format"
            onClick={() => setOpen((before) => !before)}
          >
            <IconAdjustmentsHorizontal size={18} />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown
        aria-label="View and format"
        // Only here: after a choice, the text takes the focus.
        onKeyDown={({ key }) => key === "Escape" && target.current?.focus()}
      >
        <Stack gap="sm">
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              View <KeyHint keys="mod+shift+x" />
            </Text>
            <SegmentedControl
              size="xs"
              fullWidth
              value={view}
              onChange={(next) => {
                setOpen(false);
                onView(next);
              }}
              aria-label="View of the content"
              data={[
                { value: "visual", label: "Visual" },
                { value: "source", label: "Source" },
              ]}
            />
          </div>
          <div>
            <Text size="xs" c="dimmed" mb={4}>
              Format
            </Text>
            <SegmentedControl
              size="xs"
              fullWidth
              value={source}
              onChange={(next) => {
                setOpen(false);
                target.current?.focus();
                onSource(next);
              }}
              aria-label="Format of the content"
              data={[
                { value: "markdown", label: "Markdown" },
                { value: "html", label: "HTML" },
              ]}
            />
          </div>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
