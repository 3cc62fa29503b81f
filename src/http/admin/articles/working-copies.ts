/** What the user has typed in the editor and not saved; each user has only their own. */
import type { FastifyRequest } from "fastify";
import { isoTime } from "../../../domain/system/time.ts";
import {
  type CopyOwner,
  discardWorkingCopy,
  keepWorkingCopy,
  readWorkingCopies,
} from "../../../operations/articles/write/working-copies.ts";
import {
  copyInput,
  copyParams,
  newCopiesParameters,
  newCopyInput,
  newCopyParams,
  workingCopies,
} from "../contract/working-copies.ts";
import { idParams } from "../contract/session.ts";
import { refuseTooLarge } from "../payload-too-large.ts";
import { type Admin, type AdminServer, getSignedIn } from "../routes.ts";

/** A long text, escaped as JSON twice. */
const ROOM = {
  bodyLimit: 16 * 1024 * 1024,
  errorHandler: refuseTooLarge("This is too long to be kept before it is saved"),
};

export function workingCopyRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const ofArticle = { access: { may: "articles.edit", on: "article" } } as const;
  const ofNew = { access: { may: "articles.edit", on: "named" } } as const;

  async function read(owner: CopyOwner) {
    const copies = await readWorkingCopies(deps, owner);
    return { copies: copies.map(({ id, content, savedAt }) => ({ id, content, saved_at: isoTime(savedAt) })) };
  }

  app.get(
    "/articles/:id/working-copies",
    { config: ofArticle, schema: { params: idParams, response: { 200: workingCopies } } },
    (request) => read({ accountId: accountOf(request), articleId: request.params.id }),
  );

  app.put(
    "/articles/:id/working-copies/:copy",
    { ...ROOM, config: ofArticle, schema: { params: copyParams, body: copyInput } },
    async (request, reply) => {
      const { id: articleId, copy: id } = request.params;
      await keepWorkingCopy(deps, { accountId: accountOf(request), articleId }, { id, content: request.body.content });
      return reply.code(204).send();
    },
  );

  app.delete(
    "/articles/:id/working-copies/:copy",
    { config: ofArticle, schema: { params: copyParams } },
    async (request, reply) => {
      const { id: articleId, copy } = request.params;
      await discardWorkingCopy(deps, { accountId: accountOf(request), articleId }, copy);
      return reply.code(204).send();
    },
  );

  app.get(
    "/working-copies",
    { config: ofNew, schema: { querystring: newCopiesParameters, response: { 200: workingCopies } } },
    (request) => read({ accountId: accountOf(request), websiteId: request.query.website_id }),
  );

  app.put(
    "/working-copies/:copy",
    { ...ROOM, config: ofNew, schema: { params: newCopyParams, body: newCopyInput } },
    async (request, reply) => {
      const { website_id: websiteId, content } = request.body;
      await keepWorkingCopy(deps, { accountId: accountOf(request), websiteId }, { id: request.params.copy, content });
      return reply.code(204).send();
    },
  );

  app.delete(
    "/working-copies/:copy",
    { config: ofNew, schema: { params: newCopyParams, querystring: newCopiesParameters } },
    async (request, reply) => {
      const owner = { accountId: accountOf(request), websiteId: request.query.website_id };
      await discardWorkingCopy(deps, owner, request.params.copy);
      return reply.code(204).send();
    },
  );
}

function accountOf(request: FastifyRequest): string {
  return getSignedIn(request).id;
}
