import { Select, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { memo, type ReactNode } from "react";
import { Section } from "../../../shared/page.tsx";
import { labelsQuery } from "../../../shared/article-labels.ts";
import { pictureUrl } from "../document/article-frame.tsx";
import { DESCRIPTION_LENGTH, LengthBar, TITLE_LENGTH } from "../sidebar/length-bar.tsx";
import { ImagePreview } from "../sidebar/image-preview.tsx";
import { listLanguages } from "../../../shared/languages.ts";
import { ChoosePicture } from "./pictures/choose-picture.tsx";
import type { EditorValues, FieldName } from "./values.ts";

export type SetField = <Name extends FieldName>(name: Name, value: EditorValues[Name]) => void;

export interface FieldsProps {
  websiteId: string;
  /** null: a new article. */
  articleId: string | null;
  values: EditorValues;
  set: SetField;
  /** By the API's field names. */
  errors: Readonly<Record<string, string>>;
  /** Defaults for empty fields. */
  derived: { slug: string; excerpt: string };
  /** The slug as it will be stored; null: not known yet. */
  storedSlug: string | null;
}

/** Pause in typing after which the picture is loaded. */
const PAUSE_MS = 400;

/**
 * The article's fields other than title and text. A key in the text does not render them: growing fields would be measured
 * each time, which lays out the long text once more.
 */
export const ArticleFields = memo(AllFields, areSameFields);

export function areSameFields(one: FieldsProps | null, other: FieldsProps | null): boolean {
  return withoutText(one) === withoutText(other);
}

function withoutText(props: FieldsProps | null): string {
  if (props === null) return "";
  const { set: _, values, ...plain } = props;
  return JSON.stringify({ ...plain, values: { ...values, text: "" } });
}

function describeSlug(typed: string, stored: string | null): string {
  const isOther = stored !== null && typed.trim() !== "" && stored !== typed.trim();
  return isOther ? `Will be ${stored}` : "Leave empty to derive it from the title.";
}

function AllFields({ websiteId, articleId, values, set, errors, derived, storedSlug }: FieldsProps): ReactNode {
  const labels = useQuery(labelsQuery(websiteId));
  const [imageUrl] = useDebouncedValue(values.featured_image_url.trim(), PAUSE_MS);
  const text = (name: TextName) => ({
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value),
    error: errors[name],
  });
  const tags = (name: LabelName) => ({
    value: [...values[name]],
    onChange: (value: string[]) => set(name, splitLabels(value, values[name])),
    error: errors[name],
    splitChars: [","],
    acceptValueOnBlur: true,
  });
  return (
    <>
      <Section title="Summary and labels">
        <Stack gap="md">
          <TextInput
            label="Slug"
            description={describeSlug(values.slug, storedSlug)}
            placeholder={derived.slug}
            {...text("slug")}
          />
          <Textarea
            label="Excerpt"
            description="Leave empty to use the beginning of the text."
            placeholder={derived.excerpt}
            autosize
            minRows={2}
            maxRows={8}
            {...text("excerpt")}
          />
          <SimpleGrid type="container" cols={{ base: 1, "480px": 2 }}>
            <TagsInput label="Categories" data={labels.data?.categories ?? []} {...tags("categories")} />
            <TagsInput label="Tags" data={labels.data?.tags ?? []} {...tags("tags")} />
          </SimpleGrid>
          <TagsInput
            label="Byline"
            description="Authors as readers see them. Press Enter after each one. To link one: Ada Lovelace <https://…>"
            {...tags("authors")}
            splitChars={[]}
            onChange={(value) => set("authors", value)}
          />
        </Stack>
      </Section>
      <Section title="Featured image">
        <Stack gap="md">
          <TextInput type="url" label="URL of the image" placeholder="https://" {...text("featured_image_url")} />
          <TextInput
            label="Alternative text"
            description="For people who cannot see the image."
            {...text("featured_image_alt")}
          />
          <ChoosePicture
            pictureUrl={(src) => (articleId === null ? src : pictureUrl(articleId, src))}
            onChosen={({ src, alt }) => {
              set("featured_image_url", src);
              if (alt !== "" || values.featured_image_url !== src) set("featured_image_alt", alt);
            }}
          />
          {imageUrl !== "" && (
            <ImagePreview
              url={imageUrl}
              src={articleId === null ? imageUrl : pictureUrl(articleId, imageUrl)}
              alt={values.featured_image_alt}
            />
          )}
        </Stack>
      </Section>
      <Section title="Search engines">
        <Stack gap="md">
          <div>
            <TextInput
              label="Meta title"
              description="The title on search results pages. Leave empty to use the title."
              placeholder={values.title}
              mb={6}
              {...text("meta_title")}
            />
            <LengthBar
              label="Title"
              text={values.meta_title.trim() === "" ? values.title : values.meta_title}
              good={TITLE_LENGTH}
            />
          </div>
          <div>
            <Textarea
              label="Meta description"
              description="Shown on search results pages."
              autosize
              minRows={2}
              maxRows={6}
              {...text("meta_description")}
            />
            <LengthBar label="Meta description" text={values.meta_description} good={DESCRIPTION_LENGTH} />
          </div>
          <TextInput label="Target keyword" description="The one main search term." {...text("target_keyword")} />
          <TagsInput
            label="SEO keywords"
            description="Separate them with Enter or a comma."
            {...tags("seo_keywords")}
          />
        </Stack>
      </Section>
      <Section title="Language">
        <SimpleGrid type="container" cols={{ base: 1, "480px": 2 }}>
          <Select
            label="Language"
            placeholder="The website’s own"
            data={listLanguages(values.language)}
            value={values.language === "" ? null : values.language}
            onChange={(language) => set("language", language ?? "")}
            error={errors["language"]}
            searchable
            clearable
            nothingFoundMessage="No such language"
          />
          <TextInput
            label="Translation key"
            description="The same in each translation of this article."
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...text("translation_group")}
          />
        </SimpleGrid>
      </Section>
      <Section title="Addresses">
        <Stack gap="md">
          <SimpleGrid type="container" cols={{ base: 1, "480px": 2 }}>
            <TextInput
              type="url"
              label="Article URL"
              description="Usually filled in by your website or a webhook receiver."
              placeholder="https://"
              {...text("platform_url")}
            />
            <TextInput
              label="External ID"
              description="The article’s identifier on your website."
              {...text("platform_post_id")}
            />
          </SimpleGrid>
          <TextInput
            type="url"
            label="Canonical URL"
            description="Only if the original was published elsewhere."
            placeholder="https://"
            {...text("canonical_url")}
          />
          <TagsInput
            label="Former addresses"
            description="Slugs, or paths such as /2019/old-name. Each leads to this article."
            {...tags("aliases")}
          />
        </Stack>
      </Section>
    </>
  );
}

/** Splits pasted labels at commas; existing labels may contain commas. */
function splitLabels(value: readonly string[], before: readonly string[]): string[] {
  const labels = value.flatMap((label) => (before.includes(label) ? [label] : label.split(",")));
  return [...new Set(labels.map((label) => label.trim()).filter((label) => label !== ""))];
}

type LabelName = "seo_keywords" | "categories" | "tags" | "authors" | "aliases";
type TextName = Exclude<FieldName, LabelName | "source" | "text" | "title">;
