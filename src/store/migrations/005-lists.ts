/**
 * For the lists of the dashboard: the trash, what is scheduled and what has a draft copy are few among many, and every
 * state can be sorted by title and by its last change. As in the first migration, an order is read from its index alone.
 *
 * An index of PostgreSQL has no room for the longest titles, which hardly anybody has: those that do are in one of their own.
 */
export const lists = {
  name: "005-lists",
  isAdditive: true,
  sql: `
CREATE INDEX draft_copies_by_website ON draft_copies (website_id);
`,
  sqlite: [
    "CREATE INDEX articles_by_title ON articles (website_id, status, title_key, id) WHERE deleted_at IS NULL",
    ...indexes(""),
  ],
  postgres: [
    `CREATE INDEX articles_by_title ON articles (website_id, status, title_key, id) INCLUDE (row_no)
       WHERE deleted_at IS NULL AND octet_length(title_key) <= 1000`,
    `CREATE INDEX articles_by_long_title ON articles (website_id, status)
       WHERE deleted_at IS NULL AND octet_length(title_key) > 1000`,
    ...indexes(" INCLUDE (row_no)"),
  ],
} as const;

function indexes(more: string): string[] {
  return [
    `CREATE INDEX articles_by_change ON articles (website_id, status, updated_at DESC, id)${more} WHERE deleted_at IS NULL`,
    `CREATE INDEX articles_scheduled ON articles (website_id, publish_at, id)${more} WHERE publish_at IS NOT NULL AND deleted_at IS NULL`,
    `CREATE INDEX articles_in_trash ON articles (website_id, deleted_at DESC, id)${more} WHERE deleted_at IS NOT NULL`,
  ];
}
