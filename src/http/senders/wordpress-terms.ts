/** Categories and tags, which WordPress names by numbers. */
import { labelKey } from "../../domain/system/collation.ts";
import { slugify } from "../../domain/articles/content/slug.ts";
import * as terms from "../../operations/articles/senders/wordpress.ts";
import {
  readField,
  readFields,
  readInclude,
  toPage,
  type WordPressCall,
  WordPressError,
  type WordPressReply,
} from "./wordpress-request.ts";
import { apiAddress, siteAddress } from "./wordpress-site.ts";

const NAMES = {
  category: { base: "categories", taxonomy: "category" },
  tag: { base: "tags", taxonomy: "post_tag" },
} as const;

export async function listTerms(call: WordPressCall, kind: terms.TermKind): Promise<WordPressReply> {
  const { deps, sender, request } = call;
  const { search, slug, order, orderby } = request.query;
  const include = readInclude(request.query);
  const slugs = slug === undefined ? null : new Set(slug.split(",").map((one) => one.trim().toLowerCase()));
  const wanted = search === undefined ? "" : labelKey(search.trim());
  const all = await terms.listTerms(deps, sender, kind);
  const found = all.filter(
    ({ number, name }) =>
      (include === null || include.has(number)) &&
      (slugs === null || slugs.has(toSlug(name))) &&
      (labelKey(name).includes(wanted) || toSlug(name).includes(wanted)),
  );
  found.sort((one, other) =>
    orderby === "id" ? one.number - other.number : labelKey(one.name) < labelKey(other.name) ? -1 : 1,
  );
  if (order?.toLowerCase() === "desc") found.reverse();
  const { page, headers } = toPage(found, request.query);
  return { headers, body: page.map((term) => present(call, kind, term)) };
}

export async function getTerm(call: WordPressCall, kind: terms.TermKind): Promise<WordPressReply> {
  const all = await terms.listTerms(call.deps, call.sender, kind);
  const term = all.find(({ number }) => number === call.numbers[0]);
  if (term === undefined) throw new WordPressError(404, "rest_term_invalid", "Term does not exist.");
  return { body: present(call, kind, term) };
}

export async function createTerm(call: WordPressCall, kind: terms.TermKind): Promise<WordPressReply> {
  const name = readField(readFields(call), "name");
  if (name === undefined) {
    throw new WordPressError(400, "rest_missing_callback_param", "Missing parameter(s): name", { params: ["name"] });
  }
  const { term, isNew } = await terms.addTerm(call.deps, call.sender, kind, name);
  if (!isNew) {
    // Clients take the number from here.
    const message = "A term with the name provided already exists with this parent.";
    throw new WordPressError(400, "term_exists", message, { term_id: term.number });
  }
  const body = present(call, kind, term);
  return { status: 201, headers: { Location: body._links.self[0]?.href ?? "" }, body };
}

function present(call: WordPressCall, kind: terms.TermKind, { number, name }: terms.Term) {
  const { base, taxonomy } = NAMES[kind];
  const slug = toSlug(name);
  return {
    id: number,
    count: 0,
    description: "",
    link: `${siteAddress(call)}/${taxonomy}/${slug}/`,
    name,
    slug,
    taxonomy,
    ...(kind === "category" ? { parent: 0 } : {}),
    meta: [],
    _links: { self: [{ href: `${apiAddress(call)}/wp/v2/${base}/${number}` }] },
  };
}

function toSlug(name: string): string {
  return slugify(name).toLowerCase();
}
