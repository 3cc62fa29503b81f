import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { compileSerializer, compileValidator } from "./admin-server.ts";

const AT = { method: "POST", url: "/" };
const NAMED = Type.Object({ name: Type.String() }, { additionalProperties: false });

test("a value that violates its schema is refused unchanged, with the reason, and the next one is not affected", () => {
  const validate = compileValidator({ ...AT, schema: NAMED });
  const wrong = { name: 1, more: true };
  assert.equal(validate(wrong), false);
  assert.deepEqual(validate.errors?.[0]?.params, { additionalProperty: "more" });
  assert.deepEqual(wrong, { name: 1, more: true });
  assert.equal(validate({ name: "a" }), true);
  assert.equal(validate.errors, null);
});

test("only fields that the schema names are sent", () => {
  assert.equal(compileSerializer({ ...AT, schema: NAMED })({ name: "a", secret: "b" }), '{"name":"a"}');
});

test("a schema is compiled when it is first used, and once for all servers", () => {
  let reads = 0;
  const counting = () =>
    new Proxy(NAMED, {
      get: (target, key, receiver) => {
        reads++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
  const [received, sent] = [counting(), counting()];
  const routes = [1, 2].map(() => ({
    validate: compileValidator({ ...AT, schema: received }),
    serialize: compileSerializer({ ...AT, schema: sent }),
  }));
  assert.equal(reads, 0);
  const counts = routes.map(({ validate, serialize }) => {
    validate({ name: "a" });
    serialize({ name: "a" });
    return reads;
  });
  assert.ok((counts[0] ?? 0) > 0);
  assert.equal(counts[1], counts[0]);
});
