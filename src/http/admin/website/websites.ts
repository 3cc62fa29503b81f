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
  app.get(
    "/websites/:id",
    {
      config: { access: { may: "articles.read", on: "website" } },
      schema: { params: idParams, response: { 200: website } },
    },
    async (request) => toWebsiteJson(await readWebsite(deps, getWebsiteId(request))),
  );

  app.post(
    "/websites",
    {
      // Names no website: the permission is needed on all of them.
      config: { access: { may: "website.manage", on: "named" } },
      schema: { body: websiteInput, response: { 201: website } },
    },
    async (request, reply) => {
      const { name, url = null, url_pattern: urlPattern = null } = request.body;
      const { preview_url: previewUrl = null, asset_url: assetUrl = null, language = null } = request.body;
      const input = { name, url, urlPattern, previewUrl, assetUrl, language };
      const made = await createWebsite(deps, input, getOrigin(admin, request));
      return reply.code(201).send(toWebsiteJson(made));
    },
  );

  app.get(
    "/websites/:id/contents",
    {
      config: { access: { may: "website.manage", on: "website" } },
      schema: { params: idParams, response: { 200: websiteContents } },
    },
    async (request) => readContents(deps, getWebsiteId(request)),
  );

  app.get(
    "/websites/:id/index-now",
    {
      config: { access: { may: "website.manage", on: "website" } },
      schema: { params: idParams, response: { 200: indexNowPings } },
    },
    async (request) => {
      const { pings, nextAt } = await readPings(deps, getWebsiteId(request));
      return pingsJson(pings, nextAt);
    },
  );

  app.delete(
    "/websites/:id",
    {
      // An owner of only this website may not delete it.
      config: { access: { may: "website.manage", on: "named" } },
      schema: { params: idParams, querystring: noParameters, body: websiteDeletion },
    },
    async (request, reply) => {
      await deleteWebsite(deps, request.params.id, request.body.name, getOrigin(admin, request));
      return reply.code(204).send();
    },
  );

  app.patch(
    "/websites/:id",
    {
      config: { access: { may: "website.manage", on: "website" } },
      schema: { params: idParams, body: websiteChange, response: { 200: website } },
    },
    async (request) => {
      const {
        name,
        url,
        url_pattern: urlPattern,
        preview_url: previewUrl,
        asset_url: assetUrl,
        language,
        requires_second_factor: requiresSecondFactor,
        requires_second_person: requiresSecondPerson,
        publish_delay_seconds: publishDelaySeconds,
        serves_feeds: servesFeeds,
        slugs_per_language: slugsPerLanguage,
        index_now: indexNow,
      } = request.body;
      if (requiresSecondFactor === true && !getPerson(request).session.hasSecondFactor) {
        throw new AppError(
          "conflict",
          "Set up a second factor for yourself first, under Account, or sign in with the one that you have; otherwise you would lock yourself out.",
          { field: "requires_second_factor" },
        );
      }
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { url }),
        ...(urlPattern === undefined ? {} : { urlPattern }),
        ...(previewUrl === undefined ? {} : { previewUrl }),
        ...(assetUrl === undefined ? {} : { assetUrl }),
        ...(language === undefined ? {} : { language }),
        ...(requiresSecondFactor === undefined ? {} : { requiresSecondFactor }),
        ...(requiresSecondPerson === undefined ? {} : { requiresSecondPerson }),
        ...(publishDelaySeconds === undefined ? {} : { publishDelaySeconds }),
        ...(servesFeeds === undefined ? {} : { servesFeeds }),
        ...(slugsPerLanguage === undefined ? {} : { slugsPerLanguage }),
        ...(indexNow === undefined ? {} : { indexNow }),
      };
      return toWebsiteJson(await updateWebsite(deps, getWebsiteId(request), change, getOrigin(admin, request)));
    },
  );
}
