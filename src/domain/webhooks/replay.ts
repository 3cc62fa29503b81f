/** The `latest` missed delivery of each article, `all`, or `none`; or the events of a `range`, sent or not. */
export type ReplayKind = "latest" | "all" | "none" | "range";
