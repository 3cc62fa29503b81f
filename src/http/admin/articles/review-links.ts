import { nameMentions } from "../../../domain/articles/comment.ts";
import { hashToken } from "../../../domain/people/one-time-token.ts";
import { isoTime, isoTimeOrNull } from "../../../domain/system/time.ts";
import type { ShownThread } from "../../../operations/articles/review/comments.ts";
import { commentAsGuest, listGuestThreads, replyAsGuest } from "../../../operations/articles/review/guest-comments.ts";
import {
  createReviewLink,
  decideAsGuest,
  getGuestName,
  isAddress,
  listReviewLinks,
  readGuestReview,
  revokeReviewLink,
} from "../../../operations/articles/review/review-links.ts";
import type { ReviewLink } from "../../../store/articles/review-links.ts";
import { getClientAddress } from "../../connection/proxies.ts";
import {
  guestCommentInput,
  guestDecisionInput,
  guestInput,
  guestReplyInput,
  guestReview,
  type GuestThread,
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
      throttle.attempt([["guestLink", getClientAddress(raw, publicUrl) ?? ""]], async () => {
        const found = await readGuestReview(deps, body.token);
        const { article } = found;
        return {
          article: article && {
            title: article.title,
            content: found.html,
            language: found.language,
            featured_image_url: article.featuredImageUrl,
            featured_image_alt: article.featuredImageAlt,
          },
          website_name: found.websiteName,
          website_url: found.websiteUrl,
          sender: found.sender,
          expires_at: isoTime(found.expiresAt),
          decisions: found.decisions,
          decision: found.decision,
          link: found.link.id,
          name: getGuestName(found.link),
          may_comment: article !== null,
          threads: (await listGuestThreads(deps, found.link)).map((thread) =>
            presentThread(thread, found.link, article !== null),
          ),
        };
      }),
  );

  app.post(
    "/guest-review/decision",
    { config: open, schema: { body: guestDecisionInput } },
    async ({ raw, body: { token, name, decision, reason = "" } }, reply) => {
      const address = getClientAddress(raw, publicUrl);
      await throttle.attempt([["guestLink", address ?? ""]], () =>
        decideAsGuest(deps, token, { name, decision, reason }, address),
      );
      return reply.code(204).send();
    },
  );

  for (const [path, body] of [
    ["/guest-review/comments", guestCommentInput],
    ["/guest-review/replies", guestReplyInput],
  ] as const) {
    app.post(path, { config: open, schema: { body } }, async ({ raw, body: { token, ...written } }, reply) => {
      const address = getClientAddress(raw, publicUrl);
      await throttle.attempt([["guestLink", address ?? ""]], async () => {
        throttle.spend([["guest", hashToken(token)]]);
        if ("thread" in written) await replyAsGuest(deps, token, { ...written, threadId: written.thread }, address);
        else await commentAsGuest(deps, token, written, address);
      });
      return reply.code(204).send();
    });
  }
}

function hideAddress<T extends { name: string | null }>(person: T): T {
  return isAddress(person.name) ? { ...person, name: null } : person;
}

function presentThread(
  { id, quote, passage, resolved, comments }: ShownThread,
  link: ReviewLink,
  seesText: boolean,
): GuestThread {
  return {
    id,
    quote,
    passage: seesText ? passage : null,
    is_resolved: resolved !== null,
    comments: comments.map((one) => ({
      id: one.id,
      name: one.person.id === link.id ? (getGuestName(link) ?? "") : (hideAddress(one.person).name ?? "A member"),
      is_own: one.person.id === link.id,
      text: nameMentions(one.body, one.mentions.map(hideAddress)),
      created_at: isoTime(one.createdAt),
      is_deleted: one.isDeleted,
    })),
  };
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
