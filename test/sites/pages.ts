/** What every site that renders on request must do: show each kind of page, preview drafts, and redirect from earlier slugs. */
import assert from "node:assert/strict";
import type { SiteService } from "./service.ts";
import type { ServedSite } from "./site.ts";

export async function checkPages({ url, read, errors }: ServedSite): Promise<void> {
  assert.match(await read("/"), /\/blog\/article-\d/);
  const article = await read("/blog/article-7");
  assert.match(article, /<h1>Article 7<\/h1>[\s\S]*<strong>7<\/strong>/);
  assert.match(article, /<link rel="canonical" href="[^"]*\/blog\/article-7"/);
  assert.match(await read("/blog/article-18"), /<link rel="canonical" href="https:\/\/first\.example\/18"/);
  assert.match(await read("/tags/tag-3"), /Article \d/);
  assert.match(await read("/sitemap.xml"), /\/blog\/article-7</);
  assert.match(await read("/feed.xml"), /<feed /);
  // With percent signs, the last ones are longer than the service accepts.
  const long = `${"a".repeat(1001)}${";".repeat(5600)}`;
  for (const none of ["none", "%00", "a:80", long].flatMap((name) => [`/blog/${name}`, `/tags/${name}`])) {
    const { status } = await fetch(url + none);
    // nginx itself refuses a zero byte.
    assert.ok(status === 404 || (status === 400 && none.endsWith("%00")), `${status} ${none.slice(0, 20)} ${errors()}`);
  }
}

/** Nothing shows what is approved or scheduled, nor what was taken down as soon as the site has accepted the webhook. */
export async function checkHidden({ url, read, errors }: ServedSite, service: SiteService): Promise<void> {
  assert.match(await read("/blog/article-16"), /<h1>Article 16<\/h1>/);
  service.receiver = `${url}/hooks/rostrum`;
  const { slugs, unpublished } = await service.hide("article-16");
  await service.acceptedAt(unpublished);
  service.receiver = null;
  for (const slug of slugs) assert.equal((await fetch(`${url}/blog/${slug}`)).status, 404, `${slug} ${errors()}`);
  for (const path of ["/", "/tags/tag-2", "/sitemap.xml", "/feed.xml"]) {
    const page = await read(path);
    for (const slug of slugs) assert.ok(!new RegExp(`/blog/${slug}[/"<]`).test(page), `${slug} in ${path}`);
  }
}

/** Only those who open the preview see the draft. */
export async function checkPreview({ url, errors }: ServedSite, service: SiteService): Promise<void> {
  const { slug, search } = await service.draft("A draft");
  const page = `${url}/blog/${slug}`;
  assert.equal((await fetch(page)).status, 404);
  const opened = await fetch(`${url}/preview${search}`, { redirect: "manual" });
  const cookies = opened.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  assert.equal(new URL(opened.headers.get("Location") ?? "", url).href, page);
  const preview = await fetch(page, { headers: { Cookie: cookies.join("; ") } });
  assert.equal(preview.status, 200, errors());
  assert.match(await preview.text(), /<h1>A draft<\/h1>/, errors());
  assert.equal((await fetch(page)).status, 404);
  const ended = cookies.join("; ").replace(new URLSearchParams(search).get("token") ?? "", "ended");
  const published = await fetch(`${url}/blog/article-7`, { headers: { Cookie: ended } });
  assert.match(await published.text(), /<h1>Article 7<\/h1>/, "an ended preview hides nothing");
  // Other cookies of the site, and tokens that are none.
  for (const cookie of ["a@b,c/d=1", 'preview="a\\012b"', "preview=%E6%BC%A2"]) {
    const { status } = await fetch(`${url}/blog/article-7`, { headers: { Cookie: cookie } });
    assert.equal(status, 200, `${cookie} ${errors()}`);
  }
  const { status } = await fetch(`${url}/preview?slug=article-7&token=%E6%BC%A2`, { redirect: "manual" });
  assert.ok(status < 500, `${status} ${errors()}`);
  const forged = await fetch(`${url}/preview?slug=//example.com&token=none`, { redirect: "manual" });
  assert.equal(new URL(forged.headers.get("Location") ?? "/", url).origin, url);
}

/** An earlier slug redirects to the article's page as soon as the site has accepted the webhook. */
export async function checkRedirect({ url, read }: ServedSite, service: SiteService): Promise<void> {
  assert.match(await read("/blog/article-15"), /<h1>Article 15<\/h1>/);
  service.receiver = `${url}/hooks/rostrum`;
  await service.changeBySlug("article-15", { slug: "renamed", title: "It has moved" });
  await service.acceptedAt("It has moved");
  service.receiver = null;
  const moved = await fetch(`${url}/blog/article-15`, { redirect: "manual" });
  assert.ok([301, 308].includes(moved.status), String(moved.status));
  // Next.js may send it twice, which is valid if the values are equal.
  const places = new Set((moved.headers.get("Location") ?? "").split(", "));
  assert.deepEqual(
    [...places].map((place) => new URL(place, url).pathname),
    ["/blog/renamed"],
  );
  assert.match(await read("/blog/renamed"), /<h1>It has moved<\/h1>/);
}

/** Only genuine messages are accepted. */
export async function checkForgery({ url }: ServedSite): Promise<void> {
  const forged = await fetch(`${url}/hooks/rostrum`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "webhook-id": "1",
      "webhook-timestamp": "1",
      "webhook-signature": "v1,AA==",
    },
    body: "{}",
  });
  assert.equal(forged.status, 401);
}
