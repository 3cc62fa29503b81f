/** Which files of a repository are to be sent, before they are. */
import { compareFiles } from "../../operations/articles/import/pushed-files.ts";
import { ROOM_FOR_EDITS } from "../admin/articles/edits.ts";
import { type Admin, type AdminServer, getSignedIn, getWebsiteId } from "../admin/routes.ts";
import { filesAnswer, filesInput } from "./contract.ts";

export function pushedFileRoutes(app: AdminServer, { deps }: Admin): void {
  app.post(
    "/articles/batch/files",
    {
      ...ROOM_FOR_EDITS,
      config: { access: { may: "articles.import", on: "named" }, isRepeatable: true },
      schema: { body: filesInput, response: { 200: filesAnswer } },
    },
    (request) => compareFiles(deps, getWebsiteId(request), request.body.files, getSignedIn(request).id),
  );
}
