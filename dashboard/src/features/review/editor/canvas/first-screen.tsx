import { type ReactNode, useEffectEvent, useLayoutEffect, useRef } from "react";
import { firstBlocks } from "../../document/article-document.ts";
import { textDirection } from "../../document/text-language.ts";
import textClasses from "../visual/visual-editor.module.css";
import barClasses from "./tool-row.module.css";

interface FirstScreenProps {
  /** The text as it is saved, sanitised by the service; null: unknown. */
  html: string | null;
  base: string | null;
  lang: string | undefined;
  pictureUrl: (src: string) => string | null;
}

/** What the text begins with, until its editor is loaded: in the same place and of the same look. */
export function FirstScreen({ html, base, lang, pictureUrl }: FirstScreenProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const fill = useEffectEvent((text: string, at: string | null) => {
    const around = { base: at, pictureUrl: (src: string) => pictureUrl(src) ?? src };
    place.current?.replaceChildren(...firstBlocks(text, around, FIRST_BLOCKS));
  });
  useLayoutEffect(() => fill(html ?? "", base), [html, base]);
  return (
    <>
      <div ref={place} className={textClasses.text} aria-busy lang={lang} dir={textDirection(lang)} />
      <div className={barClasses.bar} />
    </>
  );
}

/** More than a window has room for. */
const FIRST_BLOCKS = 30;
