/** Every living article of a website in the order of its creation, whatever its status: exports read it page by page. */
export const exportOrder = {
  name: "016-export-order",
  isAdditive: true,
  sql: "CREATE INDEX articles_in_order ON articles (website_id, created_at, id) WHERE deleted_at IS NULL",
  sqlite: [],
  postgres: [],
} as const;
