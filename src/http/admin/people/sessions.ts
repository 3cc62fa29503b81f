import { isoTime } from "../../../domain/system/time.ts";
import { assertConfirmed, endSession, listSessions } from "../../../operations/people/sessions.ts";
import { idParams, sessionList } from "../contract/session.ts";
import { type Admin, type AdminServer, getOrigin, getPerson } from "../routes.ts";

export function sessionsRoutes(app: AdminServer, admin: Admin): void {
  const config = { access: { own: "untouched" } } as const;

  app.get("/sessions", { config, schema: { response: { 200: sessionList } } }, async (request) => {
    const { account, session: current } = getPerson(request);
    const sessions = (await listSessions(admin.deps, account.id)).map((session) => ({
      id: session.id,
      created_at: isoTime(session.createdAt),
      last_seen_at: isoTime(session.lastSeenAt),
      address: session.address,
      user_agent: session.userAgent,
      current: session.id === current.id,
    }));
    return { sessions };
  });

  app.delete("/sessions/:id", { config, schema: { params: idParams } }, async (request, reply) => {
    const { account, session } = getPerson(request);
    if (request.params.id !== session.id) assertConfirmed(admin.deps, session);
    await endSession(admin.deps, account.id, request.params.id, getOrigin(admin, request));
    return reply.code(204).send();
  });
}
