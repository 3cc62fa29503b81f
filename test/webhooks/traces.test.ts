/** The traces of webhooks (docs/webhooks.md, "What is sent"). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { LONG_ONLY } from "../helpers/full-run.ts";
import { openTeam } from "../helpers/team.ts";
import { LOOPBACK, type Received, ScriptedReceiver } from "../helpers/webhooks.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

/** The parts of the header that a receiver got. */
function traceOf({ headers }: Received) {
  const [version, trace = "", span = "", flags] = String(headers["traceparent"]).split("-");
  return { version, trace, span, flags, tracestate: headers["tracestate"], id: String(headers["webhook-id"]) };
}

test("every attempt of an event continues the trace of the request that caused it, as a span of its own", async () => {
  await using team = await openTeam({ ...LOOPBACK, ROSTRUM_WEBHOOK_RETRY_SECONDS: "1" });
  await using receiver = await ScriptedReceiver.start((_, index) => (index === 0 ? { status: 500 } : {}));
  const { app, website } = team.service;
  await createEndpoint(app, website.id, { url: receiver.url }, CLI_ORIGIN);
  const id = await team.newArticle({ status: "approved" });
  const { version } = await team.page(id);
  const headers = { traceparent: `00-${TRACE}-${SPAN}-00`, tracestate: "vendor=1" };
  const reply = await team.owner.send("POST", `/articles/${id}/publish`, { version }, headers);
  assert.equal(reply.status, 200, reply.text);
  await receiver.arrival(2);
  const [first, second] = receiver.received.map(traceOf);
  assert.ok(first !== undefined && second !== undefined);
  for (const { version: form, trace, flags, tracestate } of [first, second]) {
    assert.deepEqual([form, trace, flags, tracestate], ["00", TRACE, "00", undefined]);
  }
  assert.equal(first.id, second.id);
  assert.equal(new Set([SPAN, first.span, second.span]).size, 3);
});

test(
  "the long body of an edit, and a bulk action, pass their traces on; a command begins one for each event",
  LONG_ONLY,
  async () => {
    await using team = await openTeam(LOOPBACK);
    await using receiver = await ScriptedReceiver.start();
    const { app, website } = team.service;
    await createEndpoint(app, website.id, { url: receiver.url }, CLI_ORIGIN);
    const id = await team.newArticle({ status: "published" });
    await receiver.arrival(1);
    const { version } = await team.page(id);
    const edit = {
      version,
      as_draft: false,
      draft_saved_at: null,
      changes: { content: `<p>${"long ".repeat(10_000)}</p>` },
    };
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01` };
    const edited = await team.owner.send("PATCH", `/articles/${id}`, edit, headers);
    assert.equal(edited.status, 200, edited.text);
    await receiver.arrival(2);
    const articles = [{ id, version: (await team.page(id)).version }];
    const bulk = { website_id: website.id, articles };
    const unpublished = await team.owner.send("POST", "/articles/bulk/unpublish", bulk, headers);
    assert.equal(unpublished.status, 200, unpublished.text);
    await receiver.arrival(3);
    const [made, ...changed] = receiver.received.map(traceOf);
    assert.equal(`msg_${made?.trace}`, made?.id.replaceAll("-", ""));
    assert.equal(made?.flags, "01");
    assert.deepEqual(
      changed.map(({ trace, flags }) => [trace, flags]),
      [
        [TRACE, "01"],
        [TRACE, "01"],
      ],
    );
  },
);
