import { acceptLink, readLink } from "../../operations/invitations.ts";
import { clientOf, isSecure } from "./client.ts";
import { linkAnswer, linkInput, welcomeAnswer, welcomeInput } from "./contract/session.ts";
import { sessionCookie } from "./cookie.ts";
import type { Admin, AdminServer } from "./routes.ts";

export function welcomeRoutes(app: AdminServer, { deps, publicUrl, throttle }: Admin): void {
  const config = { access: "anyone" } as const;

  app.post(
    "/welcome/link",
    { config, schema: { body: linkInput, response: { 200: linkAnswer } } },
    async ({ raw, body }) =>
      throttle.attempt([["address", clientOf(raw, publicUrl).address]], () => readLink(deps, body.token)),
  );

  app.post(
    "/welcome",
    { config, schema: { body: welcomeInput, response: { 200: welcomeAnswer } } },
    async ({ raw, body }, reply) => {
      const client = clientOf(raw, publicUrl);
      const tries = [["all", ""] as const, ["address", client.address] as const];
      const { purpose, started } = await throttle.attempt(tries, () => acceptLink(deps, body, client));
      if (started !== null) void reply.header("Set-Cookie", sessionCookie(started.token, isSecure(raw, publicUrl)));
      return { purpose, signed_in: started !== null };
    },
  );
}
