/** Pictures of articles. */
import { Type } from "typebox";
import { ASSET_EXTENSIONS, type AssetType, MAX_ALT_LENGTH } from "../../../domain/articles/assets/asset.ts";
import { count, oneOf, textOrNull, time, uuid } from "../../contract/schema-helpers.ts";

const ASSET_TYPES = Object.keys(ASSET_EXTENSIONS) as AssetType[];

export const assetUpload = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    name: Type.String({
      maxLength: 1_000,
      description: "The file's name; the address contains what can be read of it.",
    }),
    alt: Type.Optional(Type.String({ maxLength: MAX_ALT_LENGTH })),
  },
  { additionalProperties: false },
);

export const asset = Type.Object({
  id: uuid("Its id."),
  url: Type.String({ description: "Its absolute address, for the text." }),
  name: Type.String(),
  type: oneOf(ASSET_TYPES, {}),
  bytes: count("Size of the file."),
  width: count("Pixels, as displayed."),
  height: count("Pixels, as displayed."),
  alt: Type.String({ description: "Alternative text; empty if there is none." }),
  source_url: textOrNull("Where an import copied it from."),
  created_at: time("When it was added."),
});
