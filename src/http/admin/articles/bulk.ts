/** Actions on several articles at once. Each action has its own route, as each has its own access. */
import type { Action } from "../../../domain/people/permissions.ts";
import { changeInBulk } from "../../../operations/articles/bulk.ts";
import { BULK_ACTIONS, type BulkAction, bulkInput, bulkResult } from "../contract/articles.ts";
import { getActor, type Admin, type AdminServer } from "../routes.ts";

const PERMISSIONS = {
  approve: "articles.approve",
  publish: "articles.publish",
  "approve-and-publish": "articles.publish",
  unpublish: "articles.publish",
  delete: "articles.delete",
  restore: "articles.delete",
} as const satisfies Record<BulkAction, Action>;

export function bulkRoutes(app: AdminServer, admin: Admin): void {
  for (const action of BULK_ACTIONS) {
    const access = { may: PERMISSIONS[action], on: "named" } as const;
    app.post(
      `/articles/bulk/${action}`,
      { config: { access }, schema: { body: bulkInput, response: { 200: bulkResult } } },
      async (request) => {
        const { website_id: websiteId, articles } = request.body;
        const actor = getActor(admin, request);
        const outcomes = await changeInBulk(admin.deps, action, websiteId, articles, actor, (error) => {
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
