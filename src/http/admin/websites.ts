import type { FastifyRequest } from "fastify";
import type { Action } from "../../domain/permissions.ts";
import { isoTime } from "../../domain/time.ts";
import type { Website } from "../../domain/website.ts";
import { createWebsite, readWebsite, updateWebsite } from "../../operations/websites.ts";
import { idParams } from "./contract/session.ts";
import { website, websiteChange, websiteInput } from "./contract/websites.ts";
import { type Admin, type AdminServer, originOf } from "./routes.ts";
import { targetOf } from "./targets.ts";

export function websiteRoutes(app: AdminServer, admin: Admin): void {
  const { deps } = admin;
  const find = (request: FastifyRequest, id: string, action: Action) =>
    targetOf(
      request,
      action,
      "website",
      () => readWebsite(deps, id),
      (found) => found.id,
    );

  app.get(
    "/websites/:id",
    {
      config: { access: { may: "articles.read", on: "target" } },
      schema: { params: idParams, response: { 200: website } },
    },
    async (request) => present(await find(request, request.params.id, "articles.read")),
  );

  app.post(
    "/websites",
    {
      // It names none: whoever may do that on every website.
      config: { access: { may: "website.manage", on: "named" } },
      schema: { body: websiteInput, response: { 201: website } },
    },
    async (request, reply) => {
      const { name, url = null, url_pattern: urlPattern = null } = request.body;
      const made = await createWebsite(deps, { name, url, urlPattern }, originOf(admin, request));
      return reply.code(201).send(present(made));
    },
  );

  app.patch(
    "/websites/:id",
    {
      config: { access: { may: "website.manage", on: "target" } },
      schema: { params: idParams, body: websiteChange, response: { 200: website } },
    },
    async (request) => {
      const { id } = await find(request, request.params.id, "website.manage");
      const { name, url, url_pattern: urlPattern } = request.body;
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { url }),
        ...(urlPattern === undefined ? {} : { urlPattern }),
      };
      return present(await updateWebsite(deps, id, change, originOf(admin, request)));
    },
  );
}

function present({ id, name, url, urlPattern, createdAt }: Website) {
  return { id, name, url, url_pattern: urlPattern, created_at: isoTime(createdAt) };
}
