import type { FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { welcomeUrl } from "../../../operations/people/invitations.ts";
import {
  addMember,
  changeRole,
  type Invitation,
  inviteAgain,
  listMembers,
  removeMember,
  setMemberDisabled,
  toMemberJson,
} from "../../../operations/people/members.ts";
import { getBaseUrl } from "../../connection/proxies.ts";
import { invited, member, memberChange, memberInput, memberList, websiteParameters } from "../contract/members.ts";
import { idParams } from "../contract/session.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";

export function memberRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl } = admin;
  const onNamed = { access: { may: "members.manage", on: "named" } } as const;
  const onMember = { access: { may: "members.manage", on: "member" } } as const;
  /** A link opens the account, with all its memberships. */
  const invites = { opensAccount: true } as const;

  function presentInvitation(req: IncomingMessage, { member: invitee, token, isMailed }: Invitation) {
    const link = token === null ? null : welcomeUrl(getBaseUrl(req, publicUrl), token);
    return { member: toMemberJson(invitee), link, mailed: isMailed };
  }

  app.get(
    "/members",
    { config: onNamed, schema: { querystring: websiteParameters, response: { 200: memberList } } },
    async ({ query }) => ({ members: (await listMembers(deps, query.website_id ?? null)).map(toMemberJson) }),
  );

  app.post(
    "/members",
    {
      config: { access: { ...onNamed.access, ...invites } },
      schema: { body: memberInput, response: { 201: invited } },
    },
    async (request, reply) => {
      const { email, name = "", role, website_id: websiteId = null } = request.body;
      const added = await addMember(deps, { email, name, role, websiteId }, getOrigin(admin, request));
      return reply.code(201).send(presentInvitation(request.raw, added));
    },
  );

  app.post(
    "/members/:id/invitation",
    {
      config: { access: { ...onMember.access, ...invites } },
      schema: { params: idParams, response: { 200: invited } },
    },
    async (request) => {
      const again = await inviteAgain(deps, request.params.id, getOrigin(admin, request));
      return presentInvitation(request.raw, again);
    },
  );

  app.patch(
    "/members/:id",
    {
      config: { access: { ...onMember.access, opensAccount: setsDisabled } },
      schema: { params: idParams, body: memberChange, response: { 200: member } },
    },
    async (request) => {
      const { role, disabled = false } = request.body;
      const [id, origin] = [request.params.id, getOrigin(admin, request)];
      return toMemberJson(
        await (role === undefined ? setMemberDisabled(deps, id, disabled, origin) : changeRole(deps, id, role, origin)),
      );
    },
  );

  app.delete("/members/:id", { config: onMember, schema: { params: idParams } }, async (request, reply) => {
    await removeMember(deps, request.params.id, getOrigin(admin, request));
    return reply.code(204).send();
  });
}

/** A change without a role enables or disables the whole account. */
function setsDisabled({ body }: Pick<FastifyRequest, "body">): boolean {
  return typeof body === "object" && body !== null && !("role" in body);
}
