import { isoTime } from "../../../domain/system/time.ts";
import { listDeadLetters } from "../../../operations/system/set-aside.ts";
import {
  canDiscard,
  canRetry,
  discardDeadLetter,
  retryDeadLetter,
} from "../../../operations/webhooks/dead-letter-actions.ts";
import { deadLetterKey, deadLetterList, deadLetterParameters } from "../contract/dead-letters.ts";
import { type Admin, type AdminServer, getOrigin } from "../routes.ts";

const MAX_LISTED = 200;

export function deadLetterRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  // Names no website: the permission is needed on all of them.
  const config = { access: { may: "webhooks.manage", on: "named" } } as const;

  app.get(
    "/dead-letters",
    { config, schema: { querystring: deadLetterParameters, response: { 200: deadLetterList } } },
    async () => ({
      dead_letters: (await listDeadLetters(deps, MAX_LISTED)).map((letter) => ({
        kind: letter.kind,
        subject_id: letter.subjectId,
        website_id: letter.websiteId,
        webhook_id: letter.endpointId,
        reason: letter.reason,
        failures: letter.failures,
        first_failed_at: isoTime(letter.createdAt),
        last_failed_at: isoTime(letter.failedAt),
        can_retry: canRetry(letter.kind),
        can_discard: canDiscard(letter.kind),
      })),
    }),
  );

  for (const [action, perform] of [
    ["retry", retryDeadLetter],
    ["discard", discardDeadLetter],
  ] as const) {
    app.post(`/dead-letters/${action}`, { config, schema: { body: deadLetterKey } }, async (request, reply) => {
      const { kind, subject_id: subjectId } = request.body;
      await perform(deps, { kind, subjectId }, getOrigin(admin, request));
      return reply.code(204).send();
    });
  }
}
