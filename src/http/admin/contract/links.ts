import { type Static, Type } from "typebox";
import { ARTICLE_STATUSES } from "../../../domain/articles/article.ts";
import { oneOf, orNull, textOrNull, timeOrNull, uuid } from "../../contract/schema-helpers.ts";

const MAX_CHECKED_LINKS = 100;

export const linksInput = Type.Object(
  {
    urls: Type.Array(Type.String({ maxLength: 2_000, description: "An absolute URL." }), {
      maxItems: MAX_CHECKED_LINKS,
    }),
    again: Type.Optional(Type.Boolean({ description: "Checks again what was checked before." })),
  },
  { additionalProperties: false },
);

export const pictureParameters = Type.Object(
  { url: Type.String({ maxLength: 8_000, description: "Where the picture of the article is." }) },
  { additionalProperties: false },
);

const linkCheck = Type.Object({
  state: oneOf(["reachable", "redirected", "broken", "unclear", "waiting"], {
    description: "`broken`: nothing is there. `unclear`: the host refuses checks or fails. `waiting`: ask again soon.",
  }),
  reason: textOrNull("Such as `HTTP 404`."),
  leads_to: textOrNull("Where a redirect ends."),
  checked_at: timeOrNull("When it was checked."),
});

export const checkedLinks = Type.Object({
  links: Type.Array(
    Type.Object({
      url: Type.String(),
      check: orNull(linkCheck, "null for a link to an article of the website."),
      article: orNull(
        Type.Object({
          id: uuid("Its id."),
          status: oneOf(ARTICLE_STATUSES, {}),
          is_former: Type.Boolean({ description: "Whether the link has an earlier address of it." }),
        }),
      ),
    }),
  ),
});
export type CheckedLinks = Static<typeof checkedLinks>;
