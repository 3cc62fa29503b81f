/**
 * For the lists of the dashboard: the trash, what is scheduled and what has a draft copy are few among many, and every
 * state can be sorted by title and by its last change. As in the first migration, an order is read from its index alone;
 * but PostgreSQL has no room in an index for the longest titles, and sorts them.
 */
export const lists = {
  name: "005-lists",
  isAdditive: true,
  sql: `
CREATE INDEX draft_copies_by_website ON draft_copies (website_id, saved_at);
`,
  sqlite: [
    "CREATE INDEX articles_by_title ON articles (website_id, status, title_key, id) WHERE deleted_at IS NULL",
    ...indexes(""),
  ],
  postgres: indexes(" INCLUDE (row_no)"),
} as const;

function indexes(more: string): string[] {
  return [
    `CREATE INDEX articles_by_change ON articles (website_id, status, updated_at DESC, id)${more} WHERE deleted_at IS NULL`,
    `CREATE INDEX articles_scheduled ON articles (website_id, publish_at, id)${more} WHERE publish_at IS NOT NULL AND deleted_at IS NULL`,
    `CREATE INDEX articles_in_trash ON articles (website_id, deleted_at DESC, id)${more} WHERE deleted_at IS NOT NULL`,
  ];
}
