import { acceptLink, readLink } from "../../../operations/people/one-time-links.ts";
import { getClient, isSecure } from "../../connection/proxies.ts";
import { linkAnswer, linkInput, welcomeAnswer, welcomeInput } from "../contract/session.ts";
import { setCookies } from "../cookie.ts";
import type { Admin, AdminServer } from "../routes.ts";

export function welcomeRoutes(app: AdminServer, { deps, publicUrl, throttle }: Admin): void {
  const config = { access: "anyone" } as const;

  app.post(
    "/welcome/link",
    { config, schema: { body: linkInput, response: { 200: linkAnswer } } },
    async ({ raw, body }) =>
      throttle.attempt([["mailedLink", getClient(raw, publicUrl).address]], async () => {
        const { hasPassword, ...link } = await readLink(deps, body.token);
        return { ...link, has_password: hasPassword };
      }),
  );

  app.post(
    "/welcome",
    { config, schema: { body: welcomeInput, response: { 200: welcomeAnswer } } },
    async ({ raw, body }, reply) => {
      const client = getClient(raw, publicUrl);
      const tries = [["all", ""] as const, ["mailedLink", client.address] as const];
      const { purpose, email, started } = await throttle.attempt(tries, () => acceptLink(deps, body, client));
      if (started !== null) setCookies(reply, started, email, isSecure(raw, publicUrl));
      return { purpose, signed_in: started !== null };
    },
  );
}
