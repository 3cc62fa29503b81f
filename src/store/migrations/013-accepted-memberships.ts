/**
 * A membership counts once it was accepted (`memberships.accepted_at`), by a link whose makers could have granted it:
 * `one_time_links.scope` names the websites that everybody who saw the link may give access to, and `accounts.trusted_for`
 * those of the link that set the account's password. Both are `*` for every website, or ids separated by spaces.
 *
 * Who has a password keeps what they have. Who saw the open invitations is not known: they are void, and made again.
 *
 * `sessions.confirmed_at` is when the person last proved who they are. `devices` are browsers that somebody has signed in
 * with before; each knows a token, of which the SHA-256 is kept.
 */
export const acceptedMemberships = {
  name: "013-accepted-memberships",
  isAdditive: true,
  sql: `
ALTER TABLE memberships ADD COLUMN accepted_at BIGINT;
ALTER TABLE accounts ADD COLUMN trusted_for TEXT NOT NULL DEFAULT '';
ALTER TABLE one_time_links ADD COLUMN scope TEXT NOT NULL DEFAULT '';
ALTER TABLE one_time_links ADD COLUMN membership_id TEXT;
ALTER TABLE one_time_links ADD COLUMN shown_to TEXT;
ALTER TABLE sessions ADD COLUMN confirmed_at BIGINT NOT NULL DEFAULT 0;

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  token_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);
CREATE INDEX devices_by_account ON devices (account_id, last_used_at);

UPDATE memberships SET accepted_at = created_at
  WHERE account_id IN (SELECT id FROM accounts WHERE password_hash IS NOT NULL);
UPDATE accounts SET trusted_for = '*'
  WHERE id IN (SELECT account_id FROM memberships WHERE website_id IS NULL AND accepted_at IS NOT NULL);
DELETE FROM one_time_links WHERE purpose = 'invitation';
`,
  sqlite: [trustTheirWebsites("group_concat(website_id, ' ')")],
  postgres: [trustTheirWebsites("string_agg(website_id, ' ')")],
} as const;

function trustTheirWebsites(joined: string): string {
  return `UPDATE accounts SET trusted_for =
      COALESCE((SELECT ${joined} FROM memberships WHERE account_id = accounts.id AND accepted_at IS NOT NULL), '')
    WHERE trusted_for = ''`;
}
