/** The headline and the text, and in the panel beside them the other fields, the preview, advice and comments. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { ReviewedArticle } from "../../../../../src/http/admin/contract/review.ts";
import { useConfirm } from "../../../shared/confirm.tsx";
import { fieldErrors } from "../../../shared/error-note.tsx";
import { lazyComponent, LazyPart } from "../../../shared/lazy-part.tsx";
import { useWebsite } from "../../../shared/session.tsx";
import { FormSkeleton } from "../../../shared/skeletons.tsx";
import { websiteQuery } from "../queries.ts";
import { ComposerDialog } from "../comments/composer-dialog.tsx";
import { pictureAddress } from "../document/article-document.ts";
import { pictureUrl } from "../document/article-frame.tsx";
import { BesideContext } from "./beside/beside-text.ts";
import { useFeedback } from "./beside/use-feedback.ts";
import type { Resubmit } from "./beside/use-resubmit.ts";
import { useTextLanguage } from "../document/text-language.ts";
import { type EditorPage, EditorFrame } from "./canvas/editor-frame.tsx";
import { Headline } from "./canvas/headline.tsx";
import { usePanel } from "./canvas/use-panel.ts";
import { blockAt } from "./caret-block.ts";
import type { SetField } from "./fields.tsx";
import type { PaneTab } from "./preview-pane.tsx";
import { ContentField } from "./content-field.tsx";
import { askPreview, usePreview } from "./use-preview.ts";
import { diffValues, type EditorValues, TEXT_FIELDS } from "./values.ts";

const PreviewPane = lazyComponent(() => import("./preview-pane.tsx"), "PreviewPane");

interface EditorFormProps {
  page: EditorPage;
  /** null: a new article. */
  base: ReviewedArticle | null;
  /** The article as last loaded, which may be newer than `base`; null: a new one. */
  latest?: ReviewedArticle | null;
  /** null: the article is not back with its author. */
  resubmit?: Resubmit | null;
  was: EditorValues;
  values: EditorValues;
  set: SetField;
  setAll: (values: EditorValues) => void;
  /** Error of the last attempt to save. */
  error: unknown;
  /** Errors of the form's own validation. */
  missing: Readonly<Record<string, string>>;
  /** Number of attempts to save; each one focuses the first invalid field. */
  tries: number;
}

/** The fields that show their own errors, by their API names. */
export const FORM_FIELDS = [
  "title",
  "slug",
  "excerpt",
  "content",
  "markdown",
  "authors",
  "meta_title",
  "meta_description",
  "target_keyword",
  "seo_keywords",
  "categories",
  "tags",
  "featured_image_url",
  "featured_image_alt",
  "platform_url",
  "platform_post_id",
  "canonical_url",
  "aliases",
  "language",
  "translation_group",
] as const;

export function EditorForm({
  page,
  base,
  latest = null,
  resubmit = null,
  was,
  values,
  set,
  setAll,
  error,
  missing,
  tries,
}: EditorFormProps): ReactNode {
  const website = useWebsite();
  const confirm = useConfirm();
  const readCaret = useRef<(() => number) | null>(null);
  const focusText = useRef<(() => void) | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const panel = usePanel(base === null);
  const [tab, setTab] = useState<PaneTab>(() => (latest !== null && hasFeedback(latest) ? "beside" : "details"));
  const [touched, setTouched] = useState(false);
  const previewed = usePreview(website.id, base, was, values);
  const site = useQuery(websiteQuery(website.id));
  const lang = useTextLanguage(website.id, values.language);
  const { preview } = previewed;
  // Saving would fail for the same reason as the preview.
  const errors = { ...fieldErrors(previewed.error), ...fieldErrors(error), ...missing };
  const words = preview?.word_count ?? 0;
  const isRefused = error !== null;
  const showInvalid = useEffectEvent(async () => {
    const names = Object.keys({ ...fieldErrors(error), ...missing });
    const isInPanel = names.some((name) => !TEXT_FIELDS.has(name));
    if (isInPanel) await PreviewPane.preload();
    // Shows the field first: a hidden one cannot take the focus.
    flushSync(() => {
      if (isInPanel) {
        panel.open();
        setTab("details");
      }
      if (names.some((name) => TEXT_FIELDS.has(name))) panel.showText();
    });
    const invalid = [...(root.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])];
    invalid.find((field) => field.checkVisibility())?.focus();
  });
  useEffect(() => {
    // The service's error arrives later than the form's own. React renders nothing within an effect.
    if (tries > 0 || isRefused) queueMicrotask(() => void showInvalid());
  }, [tries, isRefused]);

  async function convertTo(source: EditorValues["source"]): Promise<void> {
    if (source === values.source) return;
    if (values.text.trim() === "") {
      set("source", source);
      return;
    }
    await confirm({
      ...CONVERSIONS[source],
      danger: false,
      action: async () => {
        const { content, markdown } = await askPreview(
          website.id,
          base,
          diffValues({ ...was, text: "" }, values),
          values,
        );
        setAll({ ...values, source, text: source === "html" ? content : markdown });
      },
    });
  }

  const { beside, feedback } = useFeedback({
    latest,
    text: values.text,
    onText: (text) => set("text", text),
    onChoose: () => setTab("beside"),
    onShow: panel.showText,
  });
  const fields = {
    websiteId: website.id,
    articleId: base?.article.id ?? null,
    values,
    set,
    errors,
    derived: { slug: preview?.slug ?? "", excerpt: preview?.excerpt ?? "" },
    storedSlug: previewed.typedSlug === values.slug ? (preview?.slug ?? null) : null,
  };
  const pageUrl = base?.public_url ?? site.data?.url ?? null;
  return (
    <EditorFrame
      {...page}
      root={root}
      panel={panel}
      beside={
        <LazyPart fallback={<FormSkeleton fields={6} />}>
          <PreviewPane
            tab={tab}
            onTab={setTab}
            fields={fields}
            article={base}
            feedback={feedback}
            resubmit={resubmit}
            previewed={previewed}
            siteName={website.name}
            base={pageUrl}
            begin={(blocks) => {
              const caret = readCaret.current?.();
              // Until something is typed, the preview starts at the top.
              return touched && caret !== undefined ? blockAt(values.text, caret)(blocks) : undefined;
            }}
          />
        </LazyPart>
      }
    >
      <Headline
        title={values.title}
        lang={lang}
        onTitle={(title) => set("title", title)}
        error={errors["title"]}
        isNew={base === null}
        onLeave={() => focusText.current?.()}
      />
      <BesideContext value={beside}>
        <ContentField
          readCaret={readCaret}
          focusText={focusText}
          source={values.source}
          text={values.text}
          lang={lang}
          savedHtml={base !== null && base.draft === null && values.text === was.text ? base.article.content : null}
          savedText={base !== null && was.source === values.source ? was.text : null}
          onText={(text) => {
            setTouched(true);
            set("text", text);
          }}
          onSource={(source) => void convertTo(source)}
          pictureUrl={(src) => {
            const address = pictureAddress(src, pageUrl);
            if (address === null || base === null || address.startsWith("data:")) return address;
            return pictureUrl(base.article.id, address);
          }}
          pageUrl={pageUrl}
          counted={`${words.toLocaleString("en")} ${words === 1 ? "word" : "words"}, ${preview?.reading_time ?? 1} min to read`}
          error={errors["markdown"] ?? errors["content"]}
          onComment={feedback?.commenting.mayWrite === true ? feedback.composing.begin : null}
        />
      </BesideContext>
      {feedback !== null && <ComposerDialog composing={feedback.composing} />}
    </EditorFrame>
  );
}

/** Whether others have said something that is not settled. */
function hasFeedback({ request, line }: ReviewedArticle): boolean {
  return request !== null || line.open_comments > 0;
}

const CONVERSIONS = {
  html: {
    title: "Convert the text to HTML?",
    body: "Your Markdown is converted to HTML. From then on, the HTML is the source, and the Markdown in webhooks is derived from it. Nothing changes until you save.",
    confirmLabel: "Convert to HTML",
  },
  markdown: {
    title: "Convert the text to Markdown?",
    body: "The HTML is converted to Markdown. What Markdown cannot express, such as classes, sizes or embedded videos, is simplified or stays as HTML in the text. Nothing changes until you save.",
    confirmLabel: "Convert to Markdown",
  },
} as const;
