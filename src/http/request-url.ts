/** The URL of a request without scheme and host. RFC 9112, section 3.2.2: a server must also accept an absolute one. */
export function withoutHost(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, "/");
}
