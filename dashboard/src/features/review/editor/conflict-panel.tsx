import { Button, Group, Paper, SegmentedControl, Stack, Text } from "@mantine/core";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { BlockSkeleton } from "../../../shared/skeletons.tsx";
import { Time } from "../../../shared/time.tsx";
import { formatValue } from "../compare/fields.ts";
import classes from "./conflict-panel.module.css";
import { mergeValues, type MergePart, PART_LABELS, withPart } from "./merge.ts";
import type { EditorValues } from "./values.ts";

const DiffView = lazyComponent(() => import("../compare/diff-view.tsx"), "DiffView");
const RenderedSides = lazyComponent(() => import("./rendered-sides.tsx"), "RenderedSides");

interface ConflictPanelProps {
  title: string;
  /** Who changed it, as a sentence. */
  message: string;
  /** When they changed it, ISO 8601. */
  at?: string;
  /** Names of the two sides. */
  names: { theirs: string; mine: string };
  /** “Load the new version”. */
  theirsLabel: string;
  /** The article that both versions are of. */
  article: ReviewedArticle;
  base: EditorValues;
  mine: EditorValues;
  theirs: EditorValues;
  /** Continues editing on top of the other version. */
  onMerge: (values: EditorValues) => void;
  /** Takes the other version unchanged. */
  onTheirs: () => void;
}

/** Another user has changed the article: shows both versions and lets the user choose. */
export function ConflictPanel(props: ConflictPanelProps): ReactNode {
  const { title, message, at, names, theirsLabel, article, base, mine, theirs, onMerge, onTheirs } = props;
  const { values, both, onlyMine, onlyTheirs, merged } = mergeValues(base, mine, theirs);
  const [chosen, setChosen] = useState<Partial<Record<MergePart, "mine" | "theirs">>>({});
  const [isSource, setSource] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const missing = both.filter((part) => chosen[part] === undefined);

  function merge(): void {
    let merged = values;
    for (const part of both) if (chosen[part] === "theirs") merged = withPart(merged, part, theirs);
    onMerge(merged);
  }

  return (
    <Paper ref={panel} tabIndex={-1} component="section" aria-label={title} withBorder className={classes.root}>
      <Stack gap="md">
        <Text fw={600} className={classes.title}>
          <IconArrowsSplit2 size={18} aria-hidden />
          {title}
          {at !== undefined && (
            <Text span size="sm" c="dimmed" fw={400}>
              <Time at={at} />
            </Text>
          )}
        </Text>
        <Text size="sm">
          {message} Nothing is lost, and nothing changes until you save.
          {onlyTheirs.length > 0 && ` ${names.theirs} only: ${joinParts(onlyTheirs)}.`}
          {onlyMine.length > 0 && ` ${names.mine} only: ${joinParts(onlyMine)}.`}
          {merged.length > 0 &&
            ` Both changed different passages of the ${joinParts(merged)}: the merge has both changes.`}
        </Text>
        {both.map((part) => (
          <section key={part} aria-label={PART_LABELS[part]} className={classes.part}>
            <Group justify="space-between" gap="sm" mb={6}>
              <Text size="sm" fw={600}>
                {PART_LABELS[part]}: changed on both sides
              </Text>
              <SegmentedControl
                size="xs"
                aria-label={`Which ${PART_LABELS[part].toLowerCase()} stays`}
                value={chosen[part] ?? ""}
                onChange={(value) => setChosen({ ...chosen, [part]: value === "mine" ? "mine" : "theirs" })}
                data={[
                  { value: "theirs", label: names.theirs },
                  { value: "mine", label: names.mine },
                ]}
              />
            </Group>
            {(part !== "text" || isSource) && (
              <div className={classes.sides} aria-hidden>
                <span>{names.theirs}</span>
                <span>{names.mine}</span>
              </div>
            )}
            <LazyPart fallback={<BlockSkeleton height={120} />}>
              {part === "text" && !isSource ? (
                <RenderedSides article={article} names={names} theirs={theirs} mine={mine} />
              ) : (
                <DiffView
                  before={formatValue(theirs[part])}
                  after={formatValue(mine[part])}
                  names={[names.theirs, names.mine]}
                  isSource={part === "text"}
                />
              )}
            </LazyPart>
            {part === "text" && (
              <Button size="compact-sm" variant="subtle" mt={6} onClick={() => setSource(!isSource)}>
                {isSource ? "Show as the page" : "Show the source"}
              </Button>
            )}
          </section>
        ))}
        <Group gap="sm">
          <Button size="xs" onClick={merge} disabled={missing.length > 0}>
            {both.length === 0 ? "Merge both" : "Continue with this"}
          </Button>
          <Button size="xs" variant="default" onClick={onTheirs}>
            {theirsLabel}
          </Button>
          {missing.length > 0 && (
            <Text size="xs" c="dimmed">
              Choose a version of {new Intl.ListFormat("en").format(missing.map(nameField))} first.
            </Text>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

/** “the content”, “the tags”. */
function nameField(part: MergePart): string {
  return `the ${PART_LABELS[part].toLowerCase()}`;
}

function joinParts(parts: readonly MergePart[]): string {
  return parts.map((part) => PART_LABELS[part].toLowerCase()).join(", ");
}
