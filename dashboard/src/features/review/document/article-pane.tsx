/** The article as readers get it, with the changes since its last review. */
import { ActionIcon, Button, Group, Menu, SegmentedControl, Select } from "@mantine/core";
import IconLinkOff from "@tabler/icons-react/dist/esm/icons/IconLinkOff.mjs";
import IconList from "@tabler/icons-react/dist/esm/icons/IconList.mjs";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import type { RedlineBases, ReviewedArticle, RevisionContent } from "../../../../../src/http/admin/contract/review.ts";
import { useAnnounce } from "../../../shared/announce.tsx";
import { KeyHint } from "../../../shared/key-hint.tsx";
import { useShortcuts } from "../../../shared/shortcuts.tsx";
import { type SideId, formatDay } from "../compare/side.ts";
import { listBrokenLinks, useLinkMarks } from "../links/use-link-marks.ts";
import { redlineBasesQuery } from "../queries.ts";
import { ArticleFrame, scrollToPart } from "./article-frame.tsx";
import { ArticleFrames } from "./article-frames.tsx";
import classes from "./article-pane.module.css";
import { Headline } from "./headline.tsx";
import { RedlineCounts, RedlineFrame, useMarkedTitle } from "./redline-frame.tsx";
import { useTextLanguage } from "./text-language.ts";

interface ArticlePaneProps {
  reviewed: ReviewedArticle;
  /** The text with the draft copy's changes; null if there is none. */
  draft: RevisionContent | null;
  base: string | null;
  /** The element for the pane's tools; null: there is none. */
  tools: HTMLElement | null;
  onSource: (from: SideId, to: SideId) => void;
  /** Called with the document of the commented text; null while another text is shown. */
  onText: (shown: Document | null) => void;
}

type View = "text" | "live" | "changes";

export function ArticlePane({ reviewed, draft, base, tools, onSource, onText }: ArticlePaneProps): ReactNode {
  const { article, line } = reviewed;
  const lang = useTextLanguage(reviewed.website_id, reviewed.language);
  const hasDraft = reviewed.draft !== null && line.deleted_at === null;
  const bases = useQuery(redlineBasesQuery(reviewed)).data?.bases ?? [];
  const [{ chosen, since }, setChoice] = useChoice(article.id);
  const setChosen = (view: View) => setChoice((now) => ({ ...now, chosen: view }));
  const [loaded, setLoaded] = useState<Loaded>({});
  const [other, setOther] = useState<Document | null>(null);
  const onLoaded = useCallback((id: string, document: Document) => {
    setLoaded((now) => ({ ...dropClosed(now), [id]: document }));
  }, []);
  const compared = bases.find(({ base }) => base === since) ?? bases[0];
  const view = chooseView(chosen, compared, line.review_state);
  const [from, to] = [compared?.revision ?? "current", hasDraft ? "draft" : "current"];
  // A draft copy and the changes have a frame of their own, which is made when they are shown.
  const isOther = view === "changes" || (view === "text" && draft !== null);
  const shown = isOther ? other : (loaded[article.id] ?? null);
  useEffect(() => {
    onText(view === "live" ? null : shown);
    return () => onText(null);
  }, [view, shown, onText]);
  const { step } = useSteps(view === "changes" ? shown : null, "Change", listChanges);
  const checked = { websiteId: reviewed.website_id, id: article.id, html: (draft ?? article).content };
  const broken = useLinkMarks({ ...checked, base: reviewed.public_url ?? base }, shown);
  const brokenLinks = useSteps(shown, "Broken link", listBrokenLinks);
  useShortcuts([
    {
      keys: "d",
      label: "What changed",
      group: "This article",
      disabled: compared === undefined,
      run: () => setChosen(view === "changes" ? "text" : "changes"),
    },
    { keys: "n", label: "Next change", group: "This article", disabled: view !== "changes", run: () => step(1) },
    {
      keys: "shift+n",
      label: "Previous change",
      group: "This article",
      disabled: view !== "changes",
      run: () => step(-1),
    },
  ]);
  const views = [
    { value: "text", label: hasDraft ? "Draft copy" : "Text" },
    ...(hasDraft ? [{ value: "live", label: "Live" }] : []),
    ...(compared === undefined ? [] : [{ value: "changes", label: "Changes" }]),
  ];
  const isMarked = useMarkedTitle({ reviewed, from, to }, view === "changes");
  const bar = (
    <>
      {views.length > 1 && (
        <SegmentedControl
          size="xs"
          value={view}
          onChange={(value) => setChosen(VIEWS.find((one) => one === value) ?? "text")}
          aria-label="Which text is shown"
          data={views}
        />
      )}
      {broken > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={broken === 1 ? "1 broken link" : `${broken} broken links`}
          onClick={() => brokenLinks.step(1)}
        >
          <IconLinkOff size={15} aria-hidden /> {broken}
        </Button>
      )}
      <Outline shown={shown} />
    </>
  );
  return (
    <div className={classes.pane}>
      {tools !== null && createPortal(bar, tools)}
      {view === "changes" && compared !== undefined && (
        <Group className={classes.changes} gap="xs">
          <Select
            size="xs"
            className={classes.since}
            aria-label="Changes since"
            allowDeselect={false}
            value={compared.base}
            onChange={(value) => setChoice((now) => ({ ...now, since: value }))}
            data={bases.map((one) => ({ value: one.base, label: nameBase(one) }))}
          />
          <RedlineCounts reviewed={reviewed} from={from} to={to} />
          <Group gap="xs" ml="auto" wrap="nowrap">
            <Button size="compact-sm" variant="default" rightSection={<KeyHint keys="n" />} onClick={() => step(1)}>
              Next change
            </Button>
            <Button size="compact-sm" variant="subtle" onClick={() => onSource(from, to)}>
              Source
            </Button>
          </Group>
        </Group>
      )}
      <Headline
        draftTitle={view === "text" && draft !== null ? draft.title : null}
        look={isMarked ? "marked" : "article"}
      />
      <ArticleFrames base={base} isHidden={isOther} onLoaded={onLoaded} />
      {view === "changes" && compared !== undefined && (
        <RedlineFrame
          reviewed={reviewed}
          from={from}
          to={to}
          base={reviewed.public_url ?? base}
          isHeadless
          onShown={setOther}
          onSource={() => onSource(from, to)}
        />
      )}
      {view === "text" && draft !== null && (
        <ArticleFrame
          article={{
            title: draft.title,
            html: draft.content,
            imageUrl: draft.featured_image_url,
            imageAlt: draft.featured_image_alt,
          }}
          base={reviewed.public_url ?? base}
          articleId={article.id}
          lang={lang}
          isHeadless
          onShown={setOther}
        />
      )}
    </div>
  );
}

/** The documents of the frames, by the article's ID. */
type Loaded = Readonly<Record<string, Document>>;

/** Without those whose frame is gone. */
function dropClosed(loaded: Loaded): Loaded {
  return Object.fromEntries(Object.entries(loaded).filter(([, document]) => document.defaultView !== null));
}

interface Choice {
  chosen: View | null;
  since: string | null;
}

/** What the user has chosen for this article; the next one begins anew. */
function useChoice(id: string): [Choice, (change: (now: Choice) => Choice) => void] {
  const [state, setState] = useState({ id, choice: NO_CHOICE });
  if (state.id !== id) setState({ id, choice: NO_CHOICE });
  return [
    state.id === id ? state.choice : NO_CHOICE,
    (change) => setState((now) => ({ id, choice: change(now.id === id ? now.choice : NO_CHOICE) })),
  ];
}

const NO_CHOICE: Choice = { chosen: null, since: null };

const VIEWS: readonly View[] = ["text", "live", "changes"];

type Base = RedlineBases["bases"][number];

/** The changes are shown first to those who have reviewed the article before, or have requested the changes. */
function chooseView(chosen: View | null, compared: Base | undefined, state: string | null): View {
  if (compared === undefined) return chosen === "changes" ? "text" : (chosen ?? "text");
  const isAnswer = state === "resubmitted" || (state === "in_review" && compared.base === "review");
  return chosen ?? (isAnswer && compared.base !== "live" ? "changes" : "text");
}

function nameBase({ base, at, by }: Base): string {
  if (base === "live") return "Since the live text";
  if (base === "review") return `Since your last review, ${formatDay(at)}`;
  if (base === "request") return `Since ${by.name} requested changes, ${formatDay(at)}`;
  return `Since the approved text of ${formatDay(at)}`;
}

/** Moves from one change or link to the next. `name` announces them, as in “Change 2 of 5”. */
function useSteps(
  shown: Document | null,
  name: string,
  list: (shown: Document) => Element[],
): { step: (by: 1 | -1) => void } {
  const announce = useAnnounce();
  return {
    step: (by) => {
      const all = shown === null ? [] : list(shown);
      const current = all.findIndex((one) => one.hasAttribute("data-current"));
      const index = current < 0 && by === -1 ? all.length - 1 : (current + by + all.length) % all.length;
      const next = all[index];
      if (next === undefined) return;
      for (const one of shown?.querySelectorAll("[data-current]") ?? []) one.removeAttribute("data-current");
      next.setAttribute("data-current", "");
      scrollToPart(next);
      announce(`${name} ${index + 1} of ${all.length}`);
    },
  };
}

/** A deletion and the text that replaces it count as one change. */
function listChanges(shown: Document): Element[] {
  const marks = [...shown.querySelectorAll("[data-redline]")].filter(
    (mark) => mark.parentElement?.closest("[data-redline], [data-redline-block]") === null || isOutermost(mark),
  );
  return marks.filter((mark) => mark.previousSibling === null || mark.previousSibling !== previousMark(mark));
}

function previousMark({ previousElementSibling: before }: Element): Element | null {
  return before?.getAttribute("data-redline") === "del" ? before : null;
}

/** In an entirely new block, only the outermost mark counts as a change. */
function isOutermost(mark: Element): boolean {
  let block = mark.closest("[data-redline-block]");
  for (let outer = block; outer !== null; outer = outer.parentElement?.closest("[data-redline-block]") ?? null)
    block = outer;
  return block?.querySelector("[data-redline]") === mark;
}

/** The headings, as links to them. */
function Outline({ shown }: { shown: Document | null }): ReactNode {
  const [headings, setHeadings] = useState<Heading[]>([]);
  return (
    <Menu
      position="bottom-end"
      withinPortal={false}
      onOpen={() => setHeadings(shown === null ? [] : listHeadings(shown))}
    >
      <Menu.Target>
        <ActionIcon variant="subtle" size={30} aria-label="Outline" title="Outline">
          <IconList size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.headings}>
        {headings.length === 0 && <Menu.Label>No headings</Menu.Label>}
        {headings.map(({ no, element, level }) => (
          <Menu.Item
            key={no}
            style={{ paddingInlineStart: 12 + 14 * (level - 1) }}
            onClick={() => scrollToPart(element)}
          >
            {element.textContent}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface Heading {
  no: number;
  element: Element;
  level: number;
}

function listHeadings(shown: Document): Heading[] {
  return [...shown.querySelectorAll("article :is(h1, h2, h3, h4)")].map((element, no) => ({
    no,
    element,
    level: Number(element.localName.slice(1)),
  }));
}
