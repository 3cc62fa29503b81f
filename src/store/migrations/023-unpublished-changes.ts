/**
 * `websites.unpublished_changes`: how many of the website's content versions changed no published article. The content version
 * less this number is the version of what is published. An earlier version of the program does not count them: after its
 * changes readers fetch once more than they have to.
 */
export const unpublishedChanges = {
  name: "023-unpublished-changes",
  isAdditive: true,
  sql: "ALTER TABLE websites ADD COLUMN unpublished_changes BIGINT NOT NULL DEFAULT 0",
  sqlite: [],
  postgres: [],
} as const;
