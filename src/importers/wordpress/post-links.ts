/** Links to posts by their ids (`/?p=7`), which only their WordPress can follow, become links to the addresses of these posts. */
import type { Warnings } from "../../domain/articles/warnings.ts";
import { escapeHtml } from "../html/html-tree.ts";

export interface LinkedSite {
  /** The address of the WordPress site. */
  site: string | null;
  /** The address of a post or page by its id, or of a file; undefined: unknown. */
  findAddress: (id: string, isFile: boolean) => string | undefined;
}

const HREF = /(<a\s[^<>]*?\bhref=["'])([^"'<>\s]{1,2000})/gi;

/** The HTML with these addresses. Links to posts of the site that are unknown stay, and are reported. */
export function linkPosts(html: string, { site, findAddress }: LinkedSite, warnings: Pick<Warnings, "add">): string {
  if (site === null || !URL.canParse(site) || !/(?:p|page_id|attachment_id)=\d/.test(html)) return html;
  const base = new URL(site.endsWith("/") ? site : `${site}/`);
  return html.replaceAll(HREF, (written, before: string, target: string) => {
    const address = target.replaceAll(/&(?:amp|#0{0,4}38);/g, "&");
    if (!isPostLink(address) || !URL.canParse(address, base)) return written;
    const { host, pathname, searchParams, hash } = new URL(address, base);
    const file = searchParams.get("attachment_id");
    const id = file ?? searchParams.get("p") ?? searchParams.get("page_id");
    const isOfSite = withoutWww(host) === withoutWww(base.host) && isRoot(pathname, base.pathname);
    if (!isOfSite || id === null || !/^\d+$/.test(id)) return written;
    const found = findAddress(id, file !== null);
    if (found === undefined) warnings.add("link_dead", address);
    return found === undefined ? written : before + escapeHtml(found + hash);
  });
}

const withoutWww = (host: string): string => host.replace(/^www\./, "");

const isRoot = (path: string, root: string): boolean => path.replace(/index\.php$/, "").replace(/\/?$/, "/") === root;

/** Whether it is such a link itself: that of a draft, or of a site without other addresses. */
export const isPostLink = (address: string): boolean => /[?&](?:p|page_id|attachment_id)=\d/.test(address);
