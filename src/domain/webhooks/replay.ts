/** What is sent again: missed deliveries (the `latest` of each article, `all`, `none`), or all events of a `range`. */
export type ReplayKind = "latest" | "all" | "none" | "range";
