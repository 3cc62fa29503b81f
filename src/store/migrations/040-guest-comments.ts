/** `comments.guest`: who wrote it without an account, in words; `actor` is then the review link. Null: a member. */
export const guestComments = {
  name: "040-guest-comments",
  isAdditive: true,
  sql: "ALTER TABLE comments ADD COLUMN guest TEXT",
  sqlite: [],
  postgres: [],
} as const;
