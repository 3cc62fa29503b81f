import { Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReviewedArticle, RevisionContent } from "../../../../../src/http/admin/contract/review.ts";
import { describeLanguage } from "../../../shared/languages.ts";
import { TextLink } from "../../../shared/links.tsx";
import { useWebsite } from "../../../shared/session.tsx";
import { Time } from "../../../shared/time.tsx";
import { Fact, FactList, LabelList } from "./facts.tsx";
import { DESCRIPTION_LENGTH, LengthBar, TITLE_LENGTH } from "./length-bar.tsx";
import { pictureUrl } from "../document/article-frame.tsx";
import { ImagePreview } from "./image-preview.tsx";
import { writeAuthor } from "../editor/values.ts";
import { translationsQuery } from "../queries.ts";
import { SearchPreview } from "./search-preview.tsx";

interface SeoPanelProps {
  reviewed: ReviewedArticle;
  /** The draft copy's content if that is shown. */
  content: RevisionContent | null;
}

/** What search engines and article lists show. */
export function SeoPanel({ reviewed, content }: SeoPanelProps): ReactNode {
  const { name } = useWebsite();
  const { article, line, public_url, author_excerpt } = reviewed;
  const shown = content ?? article;
  const ownExcerpt = content === null ? author_excerpt : content.author_excerpt;
  const { authors, meta_title, canonical_url, aliases, language, translation_group } = content ?? reviewed;
  const words = article.word_count.toLocaleString("en");
  return (
    <Stack gap="lg">
      <SearchPreview
        siteName={name}
        url={public_url}
        slug={shown.slug}
        title={meta_title ?? shown.title}
        metaDescription={shown.meta_description}
        excerpt={ownExcerpt ?? article.excerpt}
      />
      <Stack gap="sm">
        <LengthBar label="Title" text={meta_title ?? shown.title} good={TITLE_LENGTH} />
        <LengthBar label="Meta description" text={shown.meta_description ?? ""} good={DESCRIPTION_LENGTH} />
      </Stack>
      <FactList>
        <Fact name="Slug">{shown.slug}</Fact>
        <Fact name="Byline">{authors.map(writeAuthor).join(", ") || null}</Fact>
        <Fact name="Meta title">{meta_title}</Fact>
        <Fact name="Meta description">{shown.meta_description}</Fact>
        <Fact name="Target keyword">{shown.target_keyword}</Fact>
        <Fact name="SEO keywords">
          <LabelList labels={shown.seo_keywords} />
        </Fact>
        <Fact name={ownExcerpt === null ? "Excerpt (derived)" : "Excerpt"}>{ownExcerpt ?? article.excerpt}</Fact>
        <Fact name="Categories">
          <LabelList labels={shown.categories} />
        </Fact>
        <Fact name="Tags">
          <LabelList labels={shown.tags} />
        </Fact>
        <Fact name="Featured image">
          {shown.featured_image_url && (
            <ImagePreview
              url={shown.featured_image_url}
              src={pictureUrl(reviewed.article.id, shown.featured_image_url)}
              alt={shown.featured_image_alt ?? ""}
            />
          )}
        </Fact>
      </FactList>
      <FactList>
        <Fact name="Length">
          {words} words, {article.reading_time} min
        </Fact>
        <Fact name="Created">
          <Time at={article.created_at} />
        </Fact>
        <Fact name="Updated">
          <Time at={line.updated_at} />
        </Fact>
        <Fact name="Approved">{article.approved_at === null ? null : <Time at={article.approved_at} />}</Fact>
        <Fact name="First published">{article.published_at === null ? null : <Time at={article.published_at} />}</Fact>
        <Fact name="URL">{article.platform_url && <Outside url={article.platform_url} />}</Fact>
        <Fact name="External ID">{article.platform_post_id}</Fact>
        <Fact name="Canonical URL">{canonical_url && <Outside url={canonical_url} />}</Fact>
        <Fact name="Former addresses">{aliases.join(", ") || null}</Fact>
        <Fact name="Language">{language === null ? "the website’s own" : describeLanguage(language)}</Fact>
        <Fact name="Translation key">{translation_group}</Fact>
        {reviewed.translation_group !== null && <Translations reviewed={reviewed} />}
        <Fact name="ID">{article.id}</Fact>
      </FactList>
    </Stack>
  );
}

function Translations({ reviewed }: Pick<SeoPanelProps, "reviewed">): ReactNode {
  const { data } = useQuery(translationsQuery(reviewed));
  if (data === undefined) return null;
  return (
    <Fact name="Translations">
      {data.translations.length === 0
        ? null
        : data.translations.map(({ id, title, language, status }) => (
            <div key={id}>
              {language === null ? "The website’s own: " : `${describeLanguage(language)}: `}
              <TextLink to="/articles/$id" params={{ id }} inherit>
                {title}
              </TextLink>
              {status !== "published" && ` (${status})`}
            </div>
          ))}
    </Fact>
  );
}

/** A third-party URL: only http and https become links. */
export function Outside({ url, children = url }: { url: string; children?: ReactNode }): ReactNode {
  if (!/^https?:\/\//i.test(url)) return url;
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  );
}
