/** Links that let somebody without an account review one text, and the guests' requests. */
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import {
  createReviewLink,
  decideAsGuest,
  listReviewLinks,
  readGuestReview,
  revokeReviewLink,
} from "../../../operations/articles/review-links.ts";
import type { ReviewLink } from "../../../store/articles/review-links.ts";
import { getClientAddress } from "../client-address.ts";
import {
  guestDecisionInput,
  guestInput,
  guestReview,
  reviewLinkInput,
  reviewLinkList,
  reviewLinkMade,
  reviewLinkParams,
} from "../contract/review-links.ts";
import { idParams } from "../contract/session.ts";
import { type Admin, type AdminServer, getActor } from "../routes.ts";

export function reviewLinkRoutes(app: AdminServer, admin: Admin): void {
  const { deps, throttle, publicUrl } = admin;
  const config = { access: { may: "articles.approve", on: "article" } } as const;

  app.get(
    "/articles/:id/review-links",
    { config, schema: { params: idParams, response: { 200: reviewLinkList } } },
    async (request) => ({ links: (await listReviewLinks(deps, request.params.id)).map(present) }),
  );

  app.post(
    "/articles/:id/review-links",
    { config, schema: { params: idParams, body: reviewLinkInput, response: { 201: reviewLinkMade } } },
    async (request, reply) => {
      const { link, token } = await createReviewLink(deps, request.params.id, request.body, getActor(admin, request));
      return reply.code(201).send({ link: present(link), token });
    },
  );

  app.delete(
    "/articles/:id/review-links/:link",
    { config, schema: { params: reviewLinkParams } },
    async (request, reply) => {
      const { id, link } = request.params;
      await revokeReviewLink(deps, id, link, getActor(admin, request));
      return reply.code(204).send();
    },
  );

  const open = { access: "anyone" } as const;

  app.post(
    "/guest-review",
    { config: open, schema: { body: guestInput, response: { 200: guestReview } } },
    async ({ raw, body }) =>
      throttle.attempt([["address", getClientAddress(raw, publicUrl) ?? ""]], async () => {
        const found = await readGuestReview(deps, body.token);
        const { article } = found;
        return {
          article: article && {
            title: article.title,
            content: found.html,
            featured_image_url: article.featuredImageUrl,
            featured_image_alt: article.featuredImageAlt,
          },
          website_name: found.websiteName,
          website_url: found.websiteUrl,
          sender: found.sender,
          expires_at: isoTime(found.expiresAt),
          decisions: found.decisions,
          decision: found.decision,
        };
      }),
  );

  app.post(
    "/guest-review/decision",
    { config: open, schema: { body: guestDecisionInput } },
    async ({ raw, body: { token, name, decision, reason = "" } }, reply) => {
      const address = getClientAddress(raw, publicUrl);
      await throttle.attempt([["address", address ?? ""]], () =>
        decideAsGuest(deps, token, { name, decision, reason }, address),
      );
      return reply.code(204).send();
    },
  );
}

function present(link: ReviewLink) {
  return {
    id: link.id,
    label: link.label,
    created_at: isoTime(link.createdAt),
    expires_at: isoTime(link.expiresAt),
    revoked_at: isoTimeOrNull(link.revokedAt),
    guest: link.guest,
    decision: link.decision,
  };
}
