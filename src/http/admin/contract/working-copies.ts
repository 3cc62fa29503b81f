import { type Static, Type } from "typebox";
import { strictObject, time } from "../../contract/schema-helpers.ts";

const websiteId = Type.String({ maxLength: 100 });
const copyId = Type.String({ minLength: 1, maxLength: 100 });

/** In UTF-16 code units; a longer text stays in the browser. */
const MAX_CONTENT = 4_000_000;

export const workingCopies = Type.Object({
  copies: Type.Array(
    Type.Object({
      id: Type.String(),
      content: Type.String({ description: "As the dashboard wrote it: JSON." }),
      saved_at: time("When."),
    }),
    { description: "The newest first." },
  ),
});
export type WorkingCopies = Static<typeof workingCopies>;

const content = Type.String({ maxLength: MAX_CONTENT });
export const copyInput = strictObject({ content });
export const newCopyInput = strictObject({ website_id: websiteId, content });
export const copyParams = Type.Object({ id: Type.String({ maxLength: 1_000 }), copy: copyId });
export const newCopyParams = Type.Object({ copy: copyId });
export const newCopiesParameters = strictObject({ website_id: websiteId });
