import { type ReactNode, useContext } from "react";
import { ShownContext } from "./article-frames.tsx";
import classes from "./headline.module.css";
import { textDirection, useTextLanguage } from "./text-language.ts";

interface HeadlineProps {
  /** The title of a draft copy that is shown; null: the article's own. */
  draftTitle: string | null;
  /** `marked`: the text below shows it with its changes. `small`: above what is shown instead of the text. */
  look: "article" | "marked" | "small";
}

/** The article's title, which is the page's heading. It changes in the same rendering as the text. */
export function Headline({ draftTitle, look }: HeadlineProps): ReactNode {
  const shown = useContext(ShownContext);
  const lang = useTextLanguage(shown?.reviewed.website_id ?? null, shown?.reviewed.language ?? null);
  const title = draftTitle ?? shown?.reviewed.article.title ?? "";
  return (
    // The shell focuses it after each navigation.
    <h1 className={classes.root} data-look={look} tabIndex={-1} lang={lang} dir={textDirection(lang)}>
      {title}
    </h1>
  );
}
