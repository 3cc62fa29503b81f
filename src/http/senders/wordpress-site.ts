/** What clients ask of the site itself: what it can do, and who they are. */
import { readWebsite } from "../../operations/website/websites.ts";
import type { SenderCall } from "./protocol.ts";
import type { WordPressCall, WordPressReply } from "./wordpress-request.ts";

export function siteAddress({ base, senderId }: Pick<SenderCall, "base" | "senderId">): string {
  return `${base}/senders/${senderId}`;
}

export function apiAddress(call: Pick<SenderCall, "base" | "senderId">): string {
  return `${siteAddress(call)}/wp-json`;
}

const COLLECTIONS = ["posts", "media", "categories", "tags", "users", "types", "statuses", "taxonomies", "settings"];

/** Tells nothing of the sender, so that it is answered without a credential, too. */
export function showSite(call: SenderCall): WordPressReply {
  const address = siteAddress(call);
  const api = apiAddress(call);
  const body = {
    name: "Rostrum",
    description: "",
    url: address,
    home: address,
    gmt_offset: 0,
    timezone_string: "UTC",
    namespaces: ["wp/v2"],
    // Such a password is made in the dashboard alone.
    authentication: { "application-passwords": { endpoints: { authorization: `${call.base}/dashboard` } } },
    routes: Object.fromEntries(COLLECTIONS.flatMap((name) => describeRoutes(name, `${api}/wp/v2/${name}`))),
    site_icon_url: "",
  };
  return { headers: { Link: `<${api}/>; rel="https://api.w.org/"` }, body };
}

/** Clients make their own methods of these. */
function describeRoutes(name: string, link: string): [string, unknown][] {
  const describe = (methods: readonly string[]) => ({
    namespace: "wp/v2",
    methods,
    endpoints: [{ methods, args: {} }],
    _links: { self: [{ href: link }] },
  });
  return [
    [`/wp/v2/${name}`, describe(["GET", "POST"])],
    [`/wp/v2/${name}/(?P<id>[\\d]+)`, describe(["GET", "POST", "PUT", "PATCH", "DELETE"])],
  ];
}

export async function getSettings({ deps, sender, ...call }: WordPressCall): Promise<WordPressReply> {
  const { name, language } = await readWebsite(deps, sender.websiteId);
  return {
    body: {
      title: name,
      description: "",
      url: siteAddress(call),
      email: "",
      timezone: "UTC",
      date_format: "Y-m-d",
      time_format: "H:i",
      start_of_week: 1,
      language: language ?? "",
      default_category: 1,
      default_post_format: "0",
      posts_per_page: 10,
      show_on_front: "posts",
      default_comment_status: "closed",
      default_ping_status: "closed",
    },
  };
}

/** All that clients look for before they publish. A person decides in the end. */
const CAPABILITIES = {
  read: true,
  edit_posts: true,
  edit_others_posts: false,
  edit_published_posts: true,
  publish_posts: true,
  delete_posts: true,
  upload_files: true,
  manage_categories: true,
  author: true,
  editor: true,
};

export function getUser(call: WordPressCall): WordPressReply {
  const { sender, request } = call;
  const address = siteAddress(call);
  const user = {
    id: 1,
    name: sender.name,
    url: "",
    description: "",
    link: address,
    slug: "sender",
    avatar_urls: {},
    meta: [],
    _links: { self: [{ href: `${apiAddress(call)}/wp/v2/users/1` }] },
  };
  if (request.query["context"] !== "edit") return { body: user };
  return {
    body: {
      ...user,
      username: "sender",
      first_name: "",
      last_name: "",
      nickname: sender.name,
      email: "",
      locale: "en_US",
      registered_date: new Date(sender.createdAt).toISOString(),
      roles: ["editor"],
      capabilities: CAPABILITIES,
      extra_capabilities: { editor: true },
    },
  };
}

export function listUsers(call: WordPressCall): WordPressReply {
  return { headers: { "X-WP-Total": "1", "X-WP-TotalPages": "1" }, body: [getUser(call).body] };
}

const POST_TYPE = {
  name: "Posts",
  slug: "post",
  description: "",
  hierarchical: false,
  has_archive: false,
  taxonomies: ["category", "post_tag"],
  rest_base: "posts",
  rest_namespace: "wp/v2",
  viewable: true,
  supports: { title: true, editor: true, author: true, thumbnail: true, excerpt: true },
};

export function getType(): WordPressReply {
  return { body: POST_TYPE };
}

export function getTypes(): WordPressReply {
  return { body: { post: POST_TYPE } };
}

export function getStatuses(): WordPressReply {
  const statuses = { publish: "Published", future: "Scheduled", draft: "Draft", pending: "Pending" };
  const described = Object.entries(statuses).map(([slug, name]) => {
    const status = { name, slug, public: slug === "publish", queryable: true };
    return [slug, status] as const;
  });
  return { body: Object.fromEntries(described) };
}

const TAXONOMIES = {
  category: {
    name: "Categories",
    slug: "category",
    description: "",
    types: ["post"],
    hierarchical: true,
    rest_base: "categories",
    rest_namespace: "wp/v2",
  },
  post_tag: {
    name: "Tags",
    slug: "post_tag",
    description: "",
    types: ["post"],
    hierarchical: false,
    rest_base: "tags",
    rest_namespace: "wp/v2",
  },
};

export function getTaxonomies(): WordPressReply {
  return { body: TAXONOMIES };
}
