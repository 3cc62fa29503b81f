/** Turns off e-mails of a kind without a session, by the link in one of them. */
import type { IncomingMessage } from "node:http";
import { isUnsubscribed, openUnsubscribeToken, unsubscribe } from "../../../operations/people/unsubscribe.ts";
import { getClientAddress } from "../../connection/proxies.ts";
import { unsubscribeInput, unsubscribeLink } from "../contract/inbox.ts";
import type { Admin, AdminServer } from "../routes.ts";

/** Characters of a body, which is ignored. */
const MAX_BODY_LENGTH = 10_000;

export function unsubscribeRoutes(app: AdminServer, { deps, publicUrl, throttle }: Admin): void {
  const limited = <T>(raw: IncomingMessage, work: () => Promise<T>) =>
    throttle.attempt([["mailedLink", getClientAddress(raw, publicUrl) ?? ""]], work);

  // Mail scanners follow links, so this changes nothing: the page has a button.
  app.get(
    "/unsubscribe",
    { config: { access: "anyone" }, schema: { querystring: unsubscribeInput } },
    async (request, reply) => reply.redirect(`/dashboard/unsubscribe#${encodeURIComponent(request.query.token)}`, 302),
  );

  app.post(
    "/unsubscribe/link",
    { config: { access: "anyone" }, schema: { body: unsubscribeInput, response: { 200: unsubscribeLink } } },
    ({ raw, body: { token } }) =>
      limited(raw, async () => {
        const link = openUnsubscribeToken(deps, token);
        const isOff = await isUnsubscribed(deps, link);
        return { email: link.email, kinds: link.scope === "daily" ? null : [...link.scope], is_off: isOff };
      }),
  );

  // By RFC 8058 mail services send `List-Unsubscribe=One-Click`, without cookies. Other sites gain nothing by it.
  void app.register(async (open: AdminServer) => {
    open.removeAllContentTypeParsers();
    open.addContentTypeParser("*", { parseAs: "string", bodyLimit: MAX_BODY_LENGTH }, (_request, _body, done) =>
      done(null, undefined),
    );
    open.post(
      "/unsubscribe",
      { config: { access: "anyone", takes: "anything" }, schema: { querystring: unsubscribeInput } },
      async ({ raw, query: { token } }, reply) => {
        await limited(raw, async () => {
          const link = openUnsubscribeToken(deps, token);
          throttle.spend([["unsubscribe", link.accountId]]);
          await unsubscribe(deps, link);
        });
        return reply.code(204).send();
      },
    );
  });
}
