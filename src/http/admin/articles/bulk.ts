/** Actions on several articles at once. Each action has its own route, as each has its own access. */
import { BULK_VERBS, VERBS } from "../../../domain/articles/verbs.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { changeInBulk } from "../../../operations/articles/bulk.ts";
import { bulkInput, bulkResult } from "../contract/articles.ts";
import { getActor, type Admin, type AdminServer } from "../routes.ts";

export function bulkRoutes(app: AdminServer, admin: Admin): void {
  for (const action of BULK_VERBS) {
    const access = { may: VERBS[action].may, on: "named" } as const;
    app.post(
      `/articles/bulk/${action}`,
      { config: { access }, schema: { body: bulkInput, response: { 200: bulkResult } } },
      async (request) => {
        const { website_id: websiteId, articles, reason, assignee_id: assigneeId, bulk_id: bulkId } = request.body;
        const actor = getActor(admin, request);
        if (action === "request-changes" && (reason ?? "").trim() === "") {
          throw new AppError("invalid", "Say what has to change: give a reason.", { field: "reason" });
        }
        const input = { reason, assigneeId, bulkId };
        const outcomes = await changeInBulk(admin.deps, action, websiteId, articles, actor, input, (error) => {
          admin.onError(error, `an article could not be changed by the bulk action ${action}`);
        });
        return {
          results: outcomes.map(({ id, refusal }) => ({ id, ok: refusal === null, message: refusal })),
          done: outcomes.filter(({ refusal }) => refusal === null).length,
        };
      },
    );
  }
}
