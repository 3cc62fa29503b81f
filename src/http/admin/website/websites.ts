import { toCamelCase } from "../../../domain/system/camel-case.ts";
import { AppError } from "../../../domain/system/errors.ts";
import { toWebsiteJson } from "../../../domain/system/website.ts";
import { pingsJson, readPings } from "../../../operations/website/index-now.ts";
import { deleteWebsite, readContents } from "../../../operations/website/website-deletion.ts";
import { createWebsite, readWebsite, updateWebsite } from "../../../operations/website/websites.ts";
import { idParams } from "../contract/session.ts";
import {
  indexNowPings,
  noParameters,
  website,
  websiteChange,
  websiteContents,
  websiteDeletion,
  websiteInput,
} from "../contract/websites.ts";
import { type Admin, type AdminServer, getOrigin, getPerson, getWebsiteId } from "../routes.ts";

export function websiteRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const read = { access: { may: "articles.read", on: "website" } } as const;
  const manage = { access: { may: "website.manage", on: "website" } } as const;
  /** Names no website: the permission is needed on all of them. */
  const manageAll = { access: { may: "website.manage", on: "named" } } as const;

  app.get(
    "/websites/:id",
    { config: read, schema: { params: idParams, response: { 200: website } } },
    async (request) => toWebsiteJson(await readWebsite(deps, getWebsiteId(request))),
  );

  app.post(
    "/websites",
    { config: manageAll, schema: { body: websiteInput, response: { 201: website } } },
    async (request, reply) => {
      const none = { url: null, urlPattern: null, previewUrl: null, assetUrl: null, language: null };
      const input = { ...none, ...toCamelCase(request.body) };
      const made = await createWebsite(deps, input, getOrigin(admin, request));
      return reply.code(201).send(toWebsiteJson(made));
    },
  );

  app.get(
    "/websites/:id/contents",
    { config: manage, schema: { params: idParams, response: { 200: websiteContents } } },
    async (request) => readContents(deps, getWebsiteId(request)),
  );

  app.get(
    "/websites/:id/index-now",
    { config: manage, schema: { params: idParams, response: { 200: indexNowPings } } },
    async (request) => {
      const { pings, nextAt } = await readPings(deps, getWebsiteId(request));
      return pingsJson(pings, nextAt);
    },
  );

  app.delete(
    "/websites/:id",
    // An owner of only this website may not delete it.
    { config: manageAll, schema: { params: idParams, querystring: noParameters, body: websiteDeletion } },
    async (request, reply) => {
      await deleteWebsite(deps, request.params.id, request.body.name, getOrigin(admin, request));
      return reply.code(204).send();
    },
  );

  app.patch(
    "/websites/:id",
    { config: manage, schema: { params: idParams, body: websiteChange, response: { 200: website } } },
    async (request) => {
      const { expected = {}, ...settings } = request.body;
      const change = { ...toCamelCase(settings), expected: toCamelCase(expected) };
      if (change.requiresSecondFactor === true && !getPerson(request).session.hasSecondFactor) {
        throw new AppError(
          "conflict",
          "Set up a second factor for yourself first, under Account, or sign in with the one that you have; otherwise you would lock yourself out.",
          { field: "requires_second_factor" },
        );
      }
      return toWebsiteJson(await updateWebsite(deps, getWebsiteId(request), change, getOrigin(admin, request)));
    },
  );
}
