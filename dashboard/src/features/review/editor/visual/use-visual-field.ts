import type { Command, Plugin } from "prosemirror-state";
import { type RefObject, useContext, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useAnnounce } from "../../../../shared/announce.tsx";
import type { Parse } from "../document/edited-source.ts";
import type { Format } from "../document/fingerprint.ts";
import type { WriteResult } from "../document/write.ts";
import { BesideContext } from "../beside/beside-text.ts";
import { passageMarks } from "../beside/passage-marks.ts";
import { Offers, type ShownOffer } from "../paste/offers.ts";
import { pasting } from "../paste/pasting.ts";
import { footnotes } from "./footnotes.ts";
import { VisualField } from "./field.ts";
import { useMergedText } from "../merged-passages.ts";
import type { TextHistory } from "../text-history.ts";
import { earlierTexts } from "./earlier-texts.ts";
import { type Slash, SlashMenuState } from "./slash-menu.tsx";
import { readStatus, type ToolbarStatus } from "./toolbar.tsx";

interface FieldProps {
  id: string;
  format: Format;
  parse: Parse;
  text: string;
  savedText: string | null;
  caret: RefObject<number | null>;
  className: string;
  plugins: readonly Plugin[];
  describedBy: string | undefined;
  keysId: string;
  pictureUrl: (src: string) => string | null;
  /** What relative addresses begin with; null while it is unknown. */
  pageUrl: string | null;
  onText: (text: string) => void;
  /** Goes on where the field's own undo history ends. */
  history: TextHistory;
  onPictures: (files: readonly File[]) => void;
  /** Called when a dialog is needed for what is inserted. */
  onAsk: (what: "link" | "image" | "markdown") => void;
  onIsland: (source: string, position: number) => void;
}

interface FieldState {
  /** The element that the field is created in. */
  place: RefObject<HTMLDivElement | null>;
  field: VisualField | null;
  slashMenu: SlashMenuState | null;
  /** The text after the slash that opened the menu; null while it is closed. */
  slash: Slash | null;
  offers: Offers | null;
  /** What is offered after something was pasted. */
  offer: ShownOffer | null;
  status: ToolbarStatus | null;
  /** A change that the format cannot express. */
  refused: WriteResult | null;
  /** Restores the caret's block as it was saved; null if it is. */
  revert: Command | null;
}

/** Creates the editor's field on the page, and renders again when what surrounds the field has to change. */
export function useVisualField(props: FieldProps): FieldState {
  const { id, format, parse, text, savedText, caret, className, describedBy, keysId, pageUrl } = props;
  const place = useRef<HTMLDivElement>(null);
  const [field, setField] = useState<VisualField | null>(null);
  const [slashMenu, setSlashMenu] = useState<SlashMenuState | null>(null);
  const [slash, setSlash] = useState<Slash | null>(null);
  const [offers, setOffers] = useState<Offers | null>(null);
  const [offer, setOffer] = useState<ShownOffer | null>(null);
  const [status, setStatus] = useState<ToolbarStatus | null>(null);
  const [refused, setRefused] = useState<WriteResult | null>(null);
  const [canRevert, setRevertible] = useState(false);
  const revert = useRef<Command | null>(null);
  const announce = useAnnounce();
  const beside = useContext(BesideContext);

  const onText = useEffectEvent((written: string) => props.onText(written));
  const onLostImages = useEffectEvent(() => announce("Pictures that are only on your computer were left out."));
  const onPictures = useEffectEvent((files: readonly File[]) => props.onPictures(files));
  const pictureUrl = useEffectEvent((src: string) => props.pictureUrl(src));
  const onAsk = useEffectEvent((what: "link" | "image" | "markdown") => props.onAsk(what));
  const onIsland = useEffectEvent((source: string, position: number) => props.onIsland(source, position));
  const open = useEffectEvent((element: HTMLElement) => {
    const menu = new SlashMenuState(format, setSlash, (what) => onAsk(what));
    const pasted = new Offers(format, (shown) => {
      setOffer(shown);
      if (shown?.active === null) announce(`${shown.options[0]}? Press Tab to choose, or go on typing.`);
      else if (shown !== null) announce(shown.options[shown.active] ?? "");
    });
    const made: VisualField = new VisualField(element, text, {
      format,
      parse,
      attributes: {
        id,
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": "Content",
        class: className,
      },
      plugins: [
        menu.plugin,
        pasted.plugin,
        ...(format === "markdown" ? [footnotes()] : []),
        pasting({
          format,
          onLostImages: () => onLostImages(),
          onPictures: (files) => onPictures(files),
        }),
        earlierTexts(
          () => made,
          props.history,
          (earlier) => onText(earlier),
        ),
        ...props.plugins,
        ...(beside === null ? [] : [passageMarks(beside)]),
      ],
      pictureUrl: (src) => pictureUrl(src),
      onText: (written) => onText(written),
      onRefused: setRefused,
      onChange: ({ state }) => {
        setStatus((before) => readStatus(state, before));
        setRevertible(revert.current?.(state) === true);
      },
      onLink: () => onAsk("link"),
      onIsland: (node, position) => onIsland(String(node.attrs["source"]), position),
    });
    setSlashMenu(menu);
    setOffers(pasted);
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
  const merged = useMergedText();
  const isMarked = useEffectEvent((wanted: string) => merged?.text === wanted);
  useLayoutEffect(() => field?.load(text, isMarked(text)), [field, text]);
  useEffect(() => {
    if (merged === null) field?.unmark();
  }, [field, merged]);
  useEffect(() => field?.setSaved(savedText), [field, savedText]);
  const shownFor = useRef(pageUrl);
  useEffect(() => {
    if (shownFor.current === pageUrl) return;
    shownFor.current = pageUrl;
    field?.showPictures();
  }, [field, pageUrl]);
  useEffect(() => {
    const element = field?.view.dom;
    if (describedBy === undefined) element?.removeAttribute("aria-invalid");
    else element?.setAttribute("aria-invalid", "true");
    element?.setAttribute("aria-describedby", describedBy === undefined ? keysId : `${describedBy} ${keysId}`);
  }, [field, describedBy, keysId]);

  return {
    place,
    field,
    slashMenu,
    slash,
    offers,
    offer,
    status,
    refused,
    revert: canRevert ? (field?.revertBlock ?? null) : null,
  };
}
