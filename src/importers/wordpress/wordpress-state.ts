import type { LifecycleSource } from "../dates.ts";
import { describeHiding } from "../visibility.ts";

const KINDS: Record<string, string> = {
  page: "a page",
  attachment: "an attachment",
  nav_menu_item: "an entry of a menu",
  revision: "an older revision",
  wp_block: "a reusable block",
  wp_template: "a template",
  wp_global_styles: "a style",
  wp_navigation: "a menu",
  custom_css: "a style",
};

/** Why an item of a WordPress export is not an article; `null`: it is one. */
export function whySkipped(type: string, status: string): string | null {
  if (type !== "post") return `It is ${KINDS[type] ?? `of the post type "${type}"`}, not a post.`;
  switch (status) {
    case "trash":
      return "It is in the trash of the site.";
    case "inherit":
      return "It is an older revision, not a post.";
    default:
      return null;
  }
}

/** `access`: for whom Jetpack shows the post, if the export says so. */
export function stateOfWordPress(
  status: string,
  isProtected: boolean,
  access = "everybody",
): Pick<LifecycleSource, "state" | "hidden"> {
  const hidden = isProtected
    ? describeHiding("closed", "password")
    : access !== "everybody"
      ? describeHiding("closed", access)
      : status === "private"
        ? describeHiding("closed", status)
        : status !== "publish" && status !== "future"
          ? describeHiding("draft", status)
          : null;
  return { state: hidden !== null ? "draft" : status === "future" ? "scheduled" : "published", hidden };
}
