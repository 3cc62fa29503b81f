/** The visual editor. The source stays byte for byte the same wherever nothing was changed. */
import { undo } from "prosemirror-history";
import type { Command } from "prosemirror-state";
import { type CSSProperties, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { lazyComponent, LazyPart } from "../../../../shared/lazy-part.tsx";
import type { Parse } from "../document/edited-source.ts";
import type { Format } from "../document/fingerprint.ts";
import { loadParser } from "../document/formats.ts";
import barClasses from "../canvas/tool-row.module.css";
import { useMergedText } from "../merged-passages.ts";
import { PictureBar } from "../pictures/picture-bar.tsx";
import { changePicture, findPicture, insertPictures, removePicture } from "../pictures/picture-nodes.ts";
import type { ChangeStart, PictureTask } from "../pictures/picture-task.ts";
import { findKeys } from "../find/find-keys.ts";
import { UploadList } from "../pictures/upload-list.tsx";
import { useTextPictures } from "../pictures/use-text-pictures.ts";
import type { TextHistory } from "../text-history.ts";
import { replaceIsland } from "./islands.ts";
import { OfferMenu } from "../paste/offer-menu.tsx";
import { pasteMarkdown } from "../paste/offers.ts";
import { LinkBar } from "./nodes/link-bar.tsx";
import { findHref, removeLink, setLink } from "./nodes/links.ts";
import { useTextLinks } from "./nodes/use-text-links.ts";
import { type ChosenCell, TextTables } from "./nodes/tables.ts";
import type { Question } from "./questions.tsx";
import { RefusedChange } from "./refused-change.tsx";
import { SlashMenu } from "./slash-menu.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useVisualField } from "./use-visual-field.ts";
import "prosemirror-view/style/prosemirror.css";
import "prosemirror-gapcursor/style/gapcursor.css";
import { textDirection } from "../../document/text-language.ts";
import classes from "./visual-editor.module.css";

const FindBar = lazyComponent(() => import("../find/find-bar.tsx"), "FindBar");
const QuestionDialog = lazyComponent(() => import("./questions.tsx"), "QuestionDialog");
const TableHandles = lazyComponent(() => import("./nodes/table-handles.tsx"), "TableHandles");
const PictureDialog = lazyComponent(() => import("../pictures/picture-dialog.tsx"), "PictureDialog");

interface VisualEditorProps {
  id: string;
  format: Format;
  text: string;
  /** The language of the text; undefined: unknown. */
  lang: string | undefined;
  /** The text as it was saved; null if nothing is saved in this format. */
  savedText: string | null;
  onText: (text: string) => void;
  history: TextHistory;
  /** Returns the URL from which to load a picture; null if it cannot be loaded. */
  pictureUrl: (src: string) => string | null;
  pageUrl: string | null;
  /** The caret's position in the source; null before the first edit. */
  caret: RefObject<number | null>;
  /** Shows the text in the source view. */
  onSource: (text: string) => void;
  describedBy: string | undefined;
  /** The element that describes the keys. */
  keysId: string;
  /** Shown at the end of the toolbar. */
  aside: ReactNode;
  /** Shown until the text can be edited. */
  waiting: ReactNode;
  onComment: (() => void) | null;
}

export function VisualEditor(props: VisualEditorProps): ReactNode {
  const { format, waiting } = props;
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
  if (loaded?.format !== format) return waiting;
  return <Editor key={format} {...props} parse={loaded.parse} />;
}

function Editor(props: VisualEditorProps & { parse: Parse }): ReactNode {
  const { format, lang, aside, onSource, pictureUrl, pageUrl, onComment } = props;
  const [question, setQuestion] = useState<Question | null>(null);
  const [hasQuestion, setHasQuestion] = useState(false);
  /** How often the bar was asked for; null while it is closed. */
  const [findAsked, setFindAsked] = useState<number | null>(null);
  const openFind = () => setFindAsked((asked) => (asked ?? 0) + 1);
  const [finding] = useState(() => findKeys(openFind));
  const merged = useMergedText();
  /** Position of the island that is being edited. */
  const island = useRef<number | null>(null);
  const [task, setTask] = useState<PictureTask | null>(null);
  const [hasTask, setHasTask] = useState(false);
  const tasks = useRef(0);
  const [chosenCell, setChosenCell] = useState<ChosenCell | null>(null);
  const [tables] = useState(
    () => new TextTables((next) => setChosenCell((before) => (before?.cell === next?.cell ? before : next))),
  );
  const { links, chosenLink, leaveLink } = useTextLinks(pageUrl);
  const { pictures, chosen, leave } = useTextPictures(format, () => openPictures("alt"));
  const { place, field, slashMenu, slash, offers, offer, status, refused, revert } = useVisualField({
    ...props,
    className: classes.text ?? "",
    plugins: [pictures.plugin, links.plugin, tables.plugin, finding],
    onPictures: (files) => pictures.upload(files),
    onAsk: ask,
    onIsland: (source, position) => {
      island.current = position;
      open({ kind: "island", source });
    },
  });

  function ask(what: "link" | "image" | "markdown"): void {
    if (what === "image") openPictures("alt");
    else if (what === "markdown") open({ kind: "markdown" });
    else if (field !== null) open({ kind: "link", href: findHref(field.view.state) });
  }

  function open(asked: Question): void {
    setQuestion(asked);
    setHasQuestion(true);
  }

  /** For the chosen picture; if none is, to add some. */
  function openPictures(start: ChangeStart): void {
    if (field === null) return;
    tasks.current += 1;
    const key = tasks.current;
    const picture = findPicture(field.view.state, format);
    setTask(picture === null ? { kind: "add", key, format } : { kind: "change", key, format, picture, start });
    setHasTask(true);
  }

  function run(command: Command): void {
    if (field === null) return;
    const { view } = field;
    view.focus();
    command(view.state, view.dispatch, view);
  }

  function insertSource(source: string): void {
    if (field === null) return;
    if (question?.kind !== "island") void pasteMarkdown(field.view, source, format);
    else if (island.current !== null) run(replaceIsland(island.current, source));
  }

  return (
    <>
      <div className={classes.alerts}>
        {refused !== null && (
          <RefusedChange format={format} onUndo={() => run(undo)} onSource={() => onSource(refused.source)} />
        )}
      </div>
      <div
        ref={place}
        className={classes.place}
        lang={lang}
        dir={textDirection(lang)}
        style={{ "--merged-by": JSON.stringify(merged?.by ?? "") } as CSSProperties}
      />
      {chosenLink !== null && question === null && (
        <LinkBar
          chosen={chosenLink}
          pageUrl={pageUrl}
          onChange={() => ask("link")}
          onRemove={() => run(removeLink)}
          onLeave={leaveLink}
          onEscape={() => field?.view.focus()}
        />
      )}
      {chosenCell !== null && field !== null && (
        <LazyPart fallback={null}>
          <TableHandles
            chosen={chosenCell}
            format={format}
            view={field.view}
            run={run}
            onLeave={() => tables.leave(field.view)}
          />
        </LazyPart>
      )}
      {/* Shown above the headline, reached after the text. */}
      {status === null ? (
        <div className={barClasses.bar} />
      ) : (
        <Toolbar
          status={status}
          format={format}
          run={run}
          ask={ask}
          revert={revert}
          onFind={openFind}
          onComment={onComment}
          aside={aside}
          onLeave={() => field?.view.focus()}
        />
      )}
      {slash !== null && slashMenu !== null && field !== null && (
        <SlashMenu slash={slash} onChoose={(item) => slashMenu.choose(field.view, item)} />
      )}
      {offer !== null && offers !== null && field !== null && (
        <OfferMenu offer={offer} onChoose={(option) => offers.choose(field.view, option)} />
      )}
      {findAsked !== null && field !== null && (
        <LazyPart fallback={null}>
          <FindBar
            field={field}
            asked={findAsked}
            onClose={() => {
              setFindAsked(null);
              field.view.focus();
            }}
          />
        </LazyPart>
      )}
      {hasQuestion && (
        <LazyPart fallback={null}>
          <QuestionDialog
            question={question}
            answers={{
              link: (href, text) => run(setLink(href, text)),
              unlink: () => run(removeLink),
              source: insertSource,
            }}
            onClose={() => {
              setQuestion(null);
              // When the dialog has closed, it returns the focus itself.
              setTimeout(() => field?.view.focus());
            }}
          />
        </LazyPart>
      )}
      {chosen !== null && task === null && (
        <PictureBar
          chosen={chosen}
          format={format}
          onOpen={openPictures}
          onRemove={() => run(removePicture(format))}
          onLeave={leave}
        />
      )}
      <UploadList uploads={pictures.uploads} />
      {hasTask && (
        <LazyPart fallback={null}>
          <PictureDialog
            task={task}
            pictureUrl={pictureUrl}
            onDone={(values, isRow) => {
              const [first] = values;
              if (task?.kind !== "change") run(insertPictures(format, values, isRow));
              else if (first !== undefined) run(changePicture(format, first));
            }}
            onRemove={() => run(removePicture(format))}
            onClose={() => {
              setTask(null);
              setTimeout(() => field?.view.focus());
            }}
          />
        </LazyPart>
      )}
    </>
  );
}
