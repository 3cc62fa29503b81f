/**
 * Which missed deliveries of an endpoint are sent again: the `latest` of each article, `all`, or `none`; or the events of a
 * `range`, whatever their outcome was.
 */
export type ReplayKind = "latest" | "all" | "none" | "range";
