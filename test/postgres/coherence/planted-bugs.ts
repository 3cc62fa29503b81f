/** Bugs planted in the database, beneath unchanged nodes, to test that the checker finds them. */

/** Runs before each heartbeat of a node. */
const onBeat = (change: string) => `
  CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change}; RETURN NEW; END $$;
  CREATE TRIGGER plant BEFORE INSERT OR UPDATE ON workers FOR EACH ROW WHEN (NEW.kind = 'node') EXECUTE FUNCTION plant();
`;

/** `isStopped`: the bug shows at a node that is paused when the change is announced. */
export interface Plant {
  sql: string;
  isStopped: boolean;
}

export const PLANTS: Record<string, Plant> = {
  "events are sent although nodes have not taken them in": {
    sql: onBeat("NEW.applied_snapshot := CAST('9000000000000000000:9000000000000000000:' AS pg_snapshot)"),
    isStopped: true,
  },
  "nodes are taken for dead although they still answer": {
    sql: onBeat("NEW.seen_at := NEW.seen_at - interval '1 hour'"),
    isStopped: true,
  },
  "nodes live, but do not hear what others change": {
    sql: `
      CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER plant BEFORE UPDATE ON website_changes FOR EACH ROW EXECUTE FUNCTION plant();
    `,
    isStopped: false,
  },
};
