/** A first request, ready to run, in several languages; docs/api.md has more examples, and guides.ts whole websites. */

export interface Filled {
  baseUrl: string;
  /** The key itself if it was just created, else a placeholder. */
  key: string;
  /** The website's own address. */
  siteUrl: string;
  articleId: string;
  slug: string;
}

export interface Snippet {
  name: string;
  /** Shown above the code: where it belongs. */
  title: string;
  code: (filled: Filled) => string;
}

export const REQUESTS: readonly Snippet[] = [
  {
    name: "curl",
    title: "In a terminal",
    code: ({ baseUrl, key, articleId }) => `# the newest three
curl -H 'X-API-Key: ${key}' \\
  '${baseUrl}/api/public/articles?limit=3'

# one of them, with its content
curl -H 'X-API-Key: ${key}' \\
  '${baseUrl}/api/public/articles/${articleId}'`,
  },
  {
    name: "JavaScript",
    title: "articles.mjs: node articles.mjs (Node 20 or newer, Deno, Bun)",
    code: ({ baseUrl, key, articleId }) => `const url = process.env.ROSTRUM_URL ?? "${baseUrl}";
const key = process.env.ROSTRUM_API_KEY ?? "${key}";

async function rostrum(path) {
  const response = await fetch(url + "/api/public" + path, { headers: { "X-API-Key": key } });
  const body = await response.json();
  if (!response.ok) throw new Error(response.status + ": " + (body.message ?? body.details));
  return body.data;
}

const { articles, pagination } = await rostrum("/articles?limit=3");
console.log(pagination.total, "articles");
for (const { title, slug } of articles) console.log(slug, title);

const { article } = await rostrum("/articles/${articleId}");
console.log(article.content);`,
  },
  {
    name: "Python",
    title: "articles.py: python3 articles.py",
    code: ({ baseUrl, key, articleId }) => `import json, os, urllib.request

URL = os.environ.get("ROSTRUM_URL", "${baseUrl}")
KEY = os.environ.get("ROSTRUM_API_KEY", "${key}")

def rostrum(path):
    request = urllib.request.Request(URL + "/api/public" + path, headers={"X-API-Key": KEY})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]

page = rostrum("/articles?limit=3")
print(page["pagination"]["total"], "articles")
for article in page["articles"]:
    print(article["slug"], article["title"])

print(rostrum("/articles/${articleId}")["article"]["content"])`,
  },
];
