/** Addresses of Ghost's Admin API below a sender's: `/ghost/api/admin/posts/`; older clients name a version as well. */

const ADMIN = /^\/ghost\/api\/(?:(?:v\d+|canary)\/)?admin(\/[^?]*)?$/;
/** As Ghost's own ids: an ObjectID, which is also what the sender calls its article. */
const POST_ID = /^[\da-f]{24}$/;

/** The parts after `admin`, such as `posts` and an id; null: it is no such address. */
export function parseGhostAddress(path: string): string[] | null {
  const found = ADMIN.exec(path);
  return found === null ? null : (found[1] ?? "").split("/").filter((part) => part !== "");
}

export function isPostId(text: string | undefined): text is string {
  return text !== undefined && POST_ID.test(text);
}

/** The parameter of the stored request that holds the id of a post which it creates. */
export const NEW_POST_ID = "rostrum_id";
