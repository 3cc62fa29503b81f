import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { FROZEN, schemaAfter } from "./schema.ts";

/** Their callers check the website of what they find (http/admin/access.ts), or work for all websites. */
const EXCEPTIONS = [
  "findArticleAnywhere",
  "findAssetAnywhere",
  "findDeliveryAnywhere",
  "findEndpointAnywhere",
  "findKeyAnywhere",
  "findMemberAnywhere",
  "findReplayJobAnywhere",
  "findTokenAnywhere",
  "findWebsiteId",
  "isIdTaken",
];

test("queries that find something of a website by its id also name the website, with few exceptions", () => {
  const schema = new Set(Object.keys(schemaAfter(Object.keys(FROZEN), "sqlite")));
  const tables = new Set([...schema].flatMap((thing) => /^column (\w+)\./.exec(thing)?.[1] ?? []));
  const shared = new Set([...tables].filter((table) => !schema.has(`column ${table}.website_id`)));
  const found = globSync("{articles,webhooks,people,system,website}/*.ts", { cwd: import.meta.dirname }).flatMap(
    (file) => {
      const source = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
      return source.split(/^(?=(?:export )?(?:async )?function\*? )/m).flatMap((code) => {
        const name = /^(?:export )?(?:async )?function\*? (\w+)/.exec(code)?.[1] ?? "";
        const [, table = "", condition] =
          /\bdb\s*\.(?:get|all)\([^;]*?(?:FROM (\S+)|\$\{\w+\}) (?:\w )?WHERE (?:\w\.)?(id = \?[^`"]*)/.exec(code) ??
          [];
        const isOfWebsite = condition !== undefined && !shared.has(table) && !/website_id = \?/.test(condition);
        return isOfWebsite ? [name] : [];
      });
    },
  );
  assert.deepEqual(found.toSorted(), EXCEPTIONS.toSorted());
});
