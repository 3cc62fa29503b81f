/**
 * What is sent again: of the deliveries that an endpoint has missed, the `latest` of each article, `all` or `none` of them;
 * or the events of a `range`, whatever their outcome was.
 */
export type ReplayKind = "latest" | "all" | "none" | "range";
