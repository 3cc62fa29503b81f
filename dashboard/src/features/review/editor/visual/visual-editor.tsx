/** The visual editor. The source stays byte for byte the same wherever nothing was changed. */
import { Alert, Button, Group, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { useBlocker } from "@tanstack/react-router";
import { undo } from "prosemirror-history";
import { NodeSelection, type Command } from "prosemirror-state";
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { fetchRaw } from "../../../../api/client.ts";
import { useAnnounce } from "../../../../shared/announce.tsx";
import { ErrorNote } from "../../../../shared/error-note.tsx";
import { useWebsite } from "../../../../shared/session.tsx";
import type { Format } from "../document/fingerprint.ts";
import { loadParser } from "../document/formats.ts";
import { schema } from "../document/schema.ts";
import type { Parse } from "../document/edited-source.ts";
import type { WriteResult } from "../document/write.ts";
import { withoutOrigin } from "./commands.ts";
import { VisualField } from "./field.ts";
import { type Question, QuestionDialog } from "./questions.tsx";
import { type Slash, SlashMenu, SlashMenuState } from "./slash-menu.tsx";
import { readStatus, Toolbar, type ToolbarStatus } from "./toolbar.tsx";
import "prosemirror-view/style/prosemirror.css";
import "prosemirror-gapcursor/style/gapcursor.css";
import classes from "./visual-editor.module.css";

interface VisualEditorProps {
  id: string;
  format: Format;
  text: string;
  /** The text as it was saved; null if nothing is saved in this format. */
  savedText: string | null;
  onText: (text: string) => void;
  /** Returns the URL from which to load a picture; null if it cannot be loaded. */
  pictureUrl: (src: string) => string | null;
  /** The caret's position in the source; null before the first edit. */
  caret: RefObject<number | null>;
  /** Shows the text in the source view. */
  onSource: (text: string) => void;
  describedBy: string | undefined;
  /** Shown at the end of the toolbar. */
  aside: ReactNode;
}

const { nodes, marks } = schema;

export function VisualEditor(props: VisualEditorProps): ReactNode {
  const { format } = props;
  const [loaded, setLoaded] = useState<{ format: Format; parse: Parse } | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let isCurrent = true;
    loadParser(format).then(
      (parse) => isCurrent && setLoaded({ format, parse }),
      (error: unknown) => isCurrent && setFailure(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [format]);
  if (failure !== null) throw failure;
  if (loaded?.format !== format) return <div className={classes.text} aria-busy />;
  return <Loaded key={format} {...props} parse={loaded.parse} />;
}

function Loaded(props: VisualEditorProps & { parse: Parse }): ReactNode {
  const { id, format, text, savedText, caret, parse, describedBy, aside, onText, onSource } = props;
  const place = useRef<HTMLDivElement>(null);
  const [field, setField] = useState<VisualField | null>(null);
  const [slashMenu, setSlashMenu] = useState<SlashMenuState | null>(null);
  const [status, setStatus] = useState<ToolbarStatus | null>(null);
  const [slash, setSlash] = useState<Slash | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  /** Position of the island that is being edited. */
  const island = useRef<number | null>(null);
  const [refused, setRefused] = useState<WriteResult | null>(null);
  const [canRevert, setRevertible] = useState(false);
  const revert = useRef<Command | null>(null);
  const warning = useRef<HTMLDivElement>(null);
  // A refused change exists only here, so leaving the page asks first.
  useBlocker({
    shouldBlockFn: ({ next }) => {
      if (refused === null || next.pathname === "/sign-in") return false;
      warning.current?.scrollIntoView({ block: "center" });
      warning.current?.querySelector("button")?.focus();
      return true;
    },
    enableBeforeUnload: () => refused !== null,
  });
  const [uploadError, setUploadError] = useState<unknown>(null);
  const announce = useAnnounce();
  const website = useWebsite();

  const saveText = useEffectEvent((written: string) => onText(written));
  const onLostImages = useEffectEvent(() => announce("Pictures that are only on your computer were left out."));
  const onPictures = useEffectEvent((files: readonly File[]) => void upload(files));
  const urlOfPicture = useEffectEvent((src: string) => props.pictureUrl(src));
  const askLink = useEffectEvent(() => ask("link"));
  const open = useEffectEvent((element: HTMLElement) => {
    const menu = new SlashMenuState(setSlash, (what) => ask(what));
    const made = new VisualField(element, text, {
      format,
      parse,
      attributes: {
        id,
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": "Content",
        dir: "auto",
        class: classes.text ?? "",
      },
      plugins: [menu.plugin],
      pictureUrl: (src) => urlOfPicture(src),
      onText: (written) => saveText(written),
      onRefused: setRefused,
      onChange: ({ state }) => {
        setStatus((before) => readStatus(state, before));
        setRevertible(revert.current?.(state) === true);
      },
      onLostImages: () => onLostImages(),
      onPictures: (files) => onPictures(files),
      onLink: () => askLink(),
      onIsland: (node, position) => {
        island.current = position;
        setQuestion({ kind: "island", source: String(node.attrs["source"]) });
      },
    });
    setSlashMenu(menu);
    revert.current = made.revertBlock;
    setField(made);
    setStatus(readStatus(made.view.state, null));
    if (caret.current !== null) made.focus(caret.current);
    return made;
  });

  useEffect(() => {
    if (place.current === null) return undefined;
    const made = open(place.current);
    return () => {
      if (made.view.hasFocus() || caret.current !== null) caret.current = made.offset();
      made.destroy();
    };
  }, [caret]);

  // A layout effect, because later the field might have written another text, which this one would overwrite.
  useLayoutEffect(() => field?.load(text), [field, text]);
  useEffect(() => field?.setSaved(savedText), [field, savedText]);
  useEffect(() => {
    const element = field?.view.dom;
    if (describedBy === undefined) element?.removeAttribute("aria-invalid");
    else element?.setAttribute("aria-invalid", "true");
    if (describedBy === undefined) element?.removeAttribute("aria-describedby");
    else element?.setAttribute("aria-describedby", describedBy);
  }, [field, describedBy]);

  function run(command: Command): void {
    if (field === null) return;
    const { view } = field;
    view.focus();
    command(view.state, view.dispatch, view);
  }

  function ask(what: "link" | "image" | "markdown"): void {
    const view = field?.view;
    if (view === undefined) return;
    if (what === "markdown") {
      setQuestion({ kind: "markdown" });
      return;
    }
    const { selection } = view.state;
    if (what === "image") {
      const chosen = selection instanceof NodeSelection && selection.node.type === nodes.image ? selection.node : null;
      setQuestion({ kind: "image", src: String(chosen?.attrs["src"] ?? ""), alt: String(chosen?.attrs["alt"] ?? "") });
      return;
    }
    const link = marks.link.isInSet(selection.$from.marks()) ?? findLink(selection);
    setQuestion({ kind: "link", href: String(link?.attrs["href"] ?? ""), isLinked: link !== undefined });
  }

  const answers = {
    link: (href: string | null) => run(setLink(href)),
    image: (src: string, alt: string) => run(setImage(src, alt)),
    source: (source: string) => void insertSource(source),
  };

  /** Uploads a picture to the website, then asks for its alternative text. */
  async function upload([file]: readonly File[]): Promise<void> {
    if (file === undefined) return;
    setUploadError(null);
    announce("Uploading the picture.");
    try {
      const init = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
      const reply = await fetchRaw("/assets", init, { website_id: website.id, name: file.name });
      const { url, alt } = (await reply.json()) as { url: string; alt: string | null };
      setQuestion({ kind: "image", src: url, alt: alt ?? "" });
    } catch (error) {
      setUploadError(error);
    }
  }

  async function insertSource(source: string): Promise<void> {
    const view = field?.view;
    if (view === undefined) return;
    if (question?.kind === "island") {
      const position = island.current;
      const node = position === null ? null : view.state.doc.nodeAt(position);
      if (position === null || node?.type !== nodes.island) return;
      const tr = view.state.tr;
      if (source.trim() === "") tr.delete(position, position + node.nodeSize);
      else tr.setNodeMarkup(position, null, { ...node.attrs, source });
      view.dispatch(tr);
      view.focus();
      return;
    }
    const parseMarkdown = await loadParser("markdown");
    const { blocks, details } = parseMarkdown(source);
    const made = blocks
      .flatMap((sid) => details.get(sid)?.node ?? [])
      .filter((node) => node.attrs["label"] === undefined || node.attrs["label"] === null)
      .map(withoutOrigin);
    if (made.length === 0) return;
    const { $from } = view.state.selection;
    const isEmpty = $from.depth > 0 && $from.parent.content.size === 0 && $from.depth === 1;
    const at = $from.depth === 0 ? $from.pos : $from.after(1);
    view.dispatch(
      (isEmpty
        ? view.state.tr.replaceWith($from.before(1), at, made)
        : view.state.tr.insert(at, made)
      ).scrollIntoView(),
    );
    view.focus();
  }

  return (
    <>
      {status === null ? (
        <div className={classes.bar} />
      ) : (
        <Toolbar
          status={status}
          run={run}
          ask={ask}
          revert={canRevert && field !== null ? field.revertBlock : null}
          aside={aside}
        />
      )}
      {refused !== null && (
        <Alert ref={warning} color="amber" variant="light" icon={<IconAlertTriangle size={18} />} role="alert" m="xs">
          <Text size="sm">
            {format === "markdown" ? "Markdown" : "HTML"} has no way to say this exactly as it is shown. The article
            still has the text from before this change: choose what to do before you leave.
          </Text>
          <Group gap={6} mt={6}>
            <Button size="compact-sm" onClick={() => run(undo)}>
              Undo the change
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => onSource(refused.source)}>
              Continue in the source
            </Button>
          </Group>
        </Alert>
      )}
      <ErrorNote error={uploadError} title="The picture was not uploaded" />
      <div ref={place} className={classes.place} />
      {slash !== null && slashMenu !== null && field !== null && (
        <SlashMenu slash={slash} onChoose={(item) => slashMenu.choose(field.view, item)} />
      )}
      <QuestionDialog
        question={question}
        answers={answers}
        onClose={() => {
          setQuestion(null);
          // When the dialog has closed, it returns the focus itself.
          setTimeout(() => field?.view.focus());
        }}
      />
    </>
  );
}

function findLink(selection: { $from: { nodeAfter: { marks: readonly unknown[] } | null } }) {
  const after = selection.$from.nodeAfter as { marks: readonly ReturnType<typeof marks.link.create>[] } | null;
  return after?.marks.find(({ type }) => type === marks.link);
}

/** Links the selection, or changes the link at the caret; null removes it. */
function setLink(href: string | null): Command {
  return (state, dispatch) => {
    let { from, to } = state.selection;
    const { $from, empty } = state.selection;
    const link = marks.link.isInSet($from.marks());
    if (empty && link !== undefined) {
      $from.parent.forEach((child, offset) => {
        const start = $from.start() + offset;
        if (link.isInSet(child.marks) && start <= to && start + child.nodeSize >= from) {
          from = Math.min(from, start);
          to = Math.max(to, start + child.nodeSize);
        }
      });
    }
    const tr = state.tr;
    if (from === to) {
      if (href === null) return false;
      tr.insert(from, schema.text(href, [marks.link.create({ href })]));
    } else {
      const old = link?.attrs ?? {};
      tr.removeMark(from, to, marks.link);
      if (href !== null) tr.addMark(from, to, marks.link.create({ ...old, href, reference: null, label: null }));
    }
    dispatch?.(tr.scrollIntoView());
    return true;
  };
}

function setImage(src: string, alt: string): Command {
  return (state, dispatch) => {
    const { selection } = state;
    const chosen = selection instanceof NodeSelection && selection.node.type === nodes.image ? selection.node : null;
    const attrs = { ...chosen?.attrs, src, alt, reference: null, label: null };
    dispatch?.(state.tr.replaceSelectionWith(nodes.image.create(attrs), false).scrollIntoView());
    return true;
  };
}
