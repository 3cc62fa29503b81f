/** `endpoints.name` and `description`: for people alone; empty if nobody has given any. */
export const webhookNames = {
  name: "032-webhook-names",
  isAdditive: true,
  sql: `
ALTER TABLE endpoints ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE endpoints ADD COLUMN description TEXT NOT NULL DEFAULT '';
`,
  sqlite: [],
  postgres: [],
} as const;
