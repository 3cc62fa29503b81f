/**
 * Review states of pending articles, their authors and assignees.
 *
 * `articles.review_state` counts only while the status is `pending`. Null is `in_review`: the state of all articles that an
 * earlier version writes. `author_id` and `assignee_id` are accounts, which may no longer exist.
 * `websites.review_version` is raised by changes that readers cannot see, which leave the content version unchanged.
 */
export const reviewStates = {
  name: "020-review-states",
  isAdditive: true,
  sql: `
ALTER TABLE articles ADD COLUMN review_state TEXT;
ALTER TABLE articles ADD COLUMN author_id TEXT;
ALTER TABLE articles ADD COLUMN assignee_id TEXT;
ALTER TABLE websites ADD COLUMN requires_second_person BIGINT NOT NULL DEFAULT 0;
ALTER TABLE websites ADD COLUMN review_version BIGINT NOT NULL DEFAULT 0;
`,
  sqlite: indexes(""),
  postgres: indexes(" INCLUDE (row_no)"),
} as const;

function indexes(more: string): string[] {
  return [
    `CREATE INDEX articles_by_review ON articles (website_id, review_state, created_at DESC, id)${more}
       WHERE review_state IS NOT NULL AND status = 'pending' AND deleted_at IS NULL`,
    `CREATE INDEX articles_by_author ON articles (website_id, author_id)${more}
       WHERE author_id IS NOT NULL AND status <> 'published' AND deleted_at IS NULL`,
    `CREATE INDEX articles_by_assignee ON articles (website_id, assignee_id)${more}
       WHERE assignee_id IS NOT NULL AND status <> 'published' AND deleted_at IS NULL`,
  ];
}
