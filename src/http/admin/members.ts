import { isoTimeOrNull } from "../../domain/time.ts";
import { welcomeUrl } from "../../operations/invitations.ts";
import {
  addMember,
  changeRole,
  inviteAgain,
  listMembers,
  removeMember,
  setMemberDisabled,
} from "../../operations/members.ts";
import type { Member } from "../../store/memberships.ts";
import { baseOf } from "./client.ts";
import { invited, member, memberChange, memberInput, memberList, websiteQuery } from "./contract/members.ts";
import { idParams } from "./contract/session.ts";
import { type Admin, type AdminServer, originOf } from "./routes.ts";

export function memberRoutes(app: AdminServer, admin: Admin): void {
  const { deps, publicUrl } = admin;
  const onNamed = { access: { may: "members.manage", on: "named" } } as const;
  const onTarget = { access: { may: "members.manage", on: "target" } } as const;

  app.get(
    "/members",
    { config: onNamed, schema: { querystring: websiteQuery, response: { 200: memberList } } },
    async ({ query }) => ({ members: (await listMembers(deps, query.website_id ?? null)).map(present) }),
  );

  app.post(
    "/members",
    { config: onNamed, schema: { body: memberInput, response: { 201: invited } } },
    async (request, reply) => {
      const { email, name = "", role, website_id: websiteId = null } = request.body;
      const added = await addMember(deps, { email, name, role, websiteId }, originOf(admin, request));
      const link = added.token === null ? null : welcomeUrl(baseOf(request.raw, publicUrl), added.token);
      return reply.code(201).send({ member: present(added.member), link, mailed: added.isMailed });
    },
  );

  app.post(
    "/members/:id/invitation",
    { config: onTarget, schema: { params: idParams, response: { 200: invited } } },
    async (request) => {
      const again = await inviteAgain(deps, request.params.id, originOf(admin, request));
      const link = welcomeUrl(baseOf(request.raw, publicUrl), again.token);
      return { member: present(again.member), link, mailed: again.isMailed };
    },
  );

  app.patch(
    "/members/:id",
    { config: onTarget, schema: { params: idParams, body: memberChange, response: { 200: member } } },
    async (request) => {
      const { role, disabled = false } = request.body;
      const [id, origin] = [request.params.id, originOf(admin, request)];
      return present(
        await (role === undefined ? setMemberDisabled(deps, id, disabled, origin) : changeRole(deps, id, role, origin)),
      );
    },
  );

  app.delete("/members/:id", { config: onTarget, schema: { params: idParams } }, async (request, reply) => {
    await removeMember(deps, request.params.id, originOf(admin, request));
    return reply.code(204).send();
  });
}

function present(one: Member) {
  return {
    id: one.id,
    account_id: one.accountId,
    email: one.email,
    name: one.name,
    role: one.role,
    website_id: one.websiteId,
    state: one.state,
    totp: one.hasTotp,
    last_sign_in_at: isoTimeOrNull(one.lastSignInAt),
  };
}
