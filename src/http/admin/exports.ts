import { Readable } from "node:stream";
import { slugify } from "../../domain/content/slug.ts";
import { isoTime } from "../../domain/time.ts";
import { AppError } from "../../domain/errors.ts";
import { exportArticles } from "../../operations/exports.ts";
import { readWebsite } from "../../operations/websites.ts";
import { AtMost } from "./at-most.ts";
import { exportQuery } from "./contract/imports.ts";
import type { Admin, AdminServer } from "./routes.ts";
import { giveUpWhenSilent } from "./silence.ts";

/** Each holds a snapshot of the database for as long as it takes. */
const MOST_AT_ONCE = 3;

export function exportRoutes(app: AdminServer, { deps, stopping, onError }: Admin): void {
  const places = new AtMost(
    MOST_AT_ONCE,
    "Other exports are under way on this server; wait until one of them has ended, then try again.",
  );
  app.get(
    "/exports",
    {
      config: { access: { may: "articles.read", on: "named" } },
      schema: { querystring: exportQuery },
      // To know the headers of an export nobody should have to make one.
      exposeHeadRoute: false,
    },
    async ({ query }, reply) => {
      const { id, name } = await readWebsite(deps, query.website_id);
      const place = places.begin();
      const lines = Readable.from(exportArticles(deps, id));
      // What is cut off is not mistaken for a whole export: the answer has no end then.
      const stop = () => lines.destroy(new AppError("unavailable", "the service stops"));
      stopping.addEventListener("abort", stop, { once: true });
      lines.once("error", (error) => {
        if (!stopping.aborted) onError(error, "an export broke off");
      });
      lines.once("close", () => {
        place[Symbol.dispose]();
        stopping.removeEventListener("abort", stop);
      });
      giveUpWhenSilent(reply);
      return reply
        .header("Content-Type", "application/x-ndjson; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileName(name, deps.clock())}"`)
        .header("X-Accel-Buffering", "no")
        .send(lines);
    },
  );
}

/** Of letters that every system takes. */
function fileName(website: string, now: number): string {
  const name = slugify(website).replaceAll(/[^a-z0-9-]+/g, "") || "articles";
  return `${name.slice(0, 60)}-${isoTime(now).slice(0, 10)}.ndjson`;
}
