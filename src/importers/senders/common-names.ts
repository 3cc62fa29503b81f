/**
 * How senders call what they send, by documentation and receiving code of about sixty. Names are compared without case and
 * separators, so that `metaDescription` and `meta_description` are one; `seo.title` is inside an object.
 */
import { isRecord } from "../../domain/articles/json-values.ts";
import type { Place, SenderField } from "../../domain/articles/senders/dialect.ts";
import { plainName } from "../markdown/front-matter.ts";

/** Where articles stand, the most telling place first. */
export const HOLDERS: readonly Place[] = [
  "data.articles[]",
  "articles[]",
  "data.posts[]",
  "posts[]",
  "data.article",
  "data.blog_post",
  "data.post",
  "payload.article",
  "article",
  "post",
  "blog",
  "data",
  "content",
  "payload",
  "",
];

const COMMON_NAMES: Record<SenderField | "id", string> = {
  id: "id externalid uuid guid jobid documentid",
  title: "title headline name blogtitle",
  slug: "slug seoslug handle url permalink",
  html: "contenthtml html htmlcontent htmlbody bodyhtml content.html content.rendered lexical",
  markdown: "contentmarkdown markdown contentmd markdowncontent markdownbody bodymarkdown content.markdown",
  content: "content body text textbody blogcontent blogbody descriptionhtml",
  excerpt: "excerpt customexcerpt summary abstract intro teaser subtitle summaryhtml",
  meta_description:
    "metadescription seodescription meta.description meta.metadescription seo.metadescription seo.description description",
  meta_title: "metatitle seotitle meta.title meta.metatitle seo.metatitle seo.title",
  image:
    "featuredimage featuredimageurl featureimage heroimage heroimageurl imageurl coverimage coverimageurl headerimage " +
    "headerimageurl mainimage mainimageurl bannerimage thumbnail thumbnailurl image cover images ogimage",
  image_alt:
    "featuredimagealt featuredimagealttext featureimagealt heroimagealt coverimagealt headerimagealt mainimagealt imagealt " +
    "imagealttext thumbnailalt thumbnailalttext alttext",
  language: "languagecode language lang locale",
  keyword: "keywordseed focuskeyword focuskeyphrase targetkeyword primarykeyword seedkeyword mainkeyword keyword",
  keywords: "seokeywords keywords secondarykeywords targetedkeywords metakeywords seo.keywords",
  tags: "tags",
  categories: "categories category",
  author: "authors author authorname byline",
  published_at:
    "publishedat publishat publishedon publishdate publicationdate scheduleddate scheduledat scheduledfor pubdate",
  status: "status state",
  canonical_url: "canonicalurl canonical",
};

/** What is found beside the article, too, in a request that has only one. */
const BESIDE: ReadonlySet<SenderField | "id"> = new Set([
  "image",
  "image_alt",
  "language",
  "keyword",
  "tags",
  "categories",
  "id",
]);
/** The others may be the event's. */
const IDS_BESIDE = "externalid articleid postid jobid documentid";

/** Far more than any article has. */
const MAX_NAMES = 1000;

export interface Found {
  value: unknown;
  place: Place;
}

/** What an object has under common names. */
export class NamedValues {
  readonly #place: Place;
  readonly #keys = new Map<string, string>();
  readonly #record: Record<string, unknown>;

  constructor(record: Record<string, unknown>, place: Place) {
    this.#record = record;
    this.#place = place;
    const keys = Object.keys(record)
      .slice(0, MAX_NAMES)
      .map((key) => [plainName(key), key] as const);
    // Some write all names with a prefix: article_title, post_title.
    const shorter = keys.map(([name, key]) => [name.replace(/^(?:article|blogpost|post|content)/, ""), key] as const);
    for (const [name, key] of [...keys, ...shorter]) if (!this.#keys.has(name)) this.#keys.set(name, key);
  }

  /** Each value that is there, in the order of the names. */
  *find(field: SenderField | "id", isBeside = false): Generator<Found> {
    if (isBeside && !BESIDE.has(field)) return;
    const names = isBeside && field === "id" ? IDS_BESIDE : COMMON_NAMES[field];
    for (const name of names.split(" ")) {
      const found = this.#get(name);
      if (found !== undefined) yield found;
    }
  }

  #get(name: string): Found | undefined {
    const [own = "", inner] = name.split(".");
    const key = this.#keys.get(own);
    if (key === undefined) return undefined;
    const value = this.#record[key];
    const place = joinPlaces(this.#place, key);
    if (inner === undefined) return { value, place };
    return isRecord(value) ? new NamedValues(value, place).#get(inner) : undefined;
  }
}

export function joinPlaces(holder: Place, place: Place): Place {
  return holder === "" || place === "" ? holder + place : `${holder}.${place}`;
}
