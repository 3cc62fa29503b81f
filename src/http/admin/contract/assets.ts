import { type Static, Type } from "typebox";
import { ASSET_EXTENSIONS, type AssetType, MAX_ALT_LENGTH } from "../../../domain/articles/assets/asset.ts";
import { count, countOrNull, oneOf, textOrNull, time, uuid } from "../../contract/schema-helpers.ts";

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

export const assetFromAddress = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    url: Type.String({ maxLength: 2_000, description: "Where the picture is copied from." }),
    alt: Type.Optional(Type.String({ maxLength: MAX_ALT_LENGTH })),
  },
  { additionalProperties: false },
);

export const asset = Type.Object({
  id: uuid("Its id."),
  url: Type.String({ description: "Its absolute address, for the text." }),
  path: Type.String({ description: "Its address on this service, without the host." }),
  name: Type.String(),
  type: oneOf(ASSET_TYPES, {}),
  bytes: count("Size of the file."),
  width: count("Pixels, as displayed."),
  height: count("Pixels, as displayed."),
  alt: Type.String({ description: "Alternative text; empty if there is none." }),
  source_url: textOrNull("Where an import copied it from."),
  created_at: time("When it was added."),
});
export type Asset = Static<typeof asset>;

/** An article that uses a picture. */
const assetUse = Type.Object({ id: uuid("Its id."), title: Type.String(), is_in_trash: Type.Boolean() });

export const assetsParameters = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    q: Type.Optional(
      Type.String({ maxLength: 2_000, description: "Words of the name or alternative text, or a picture's address." }),
    ),
    unused: Type.Optional(oneOf(["true"] as const, { description: "Only pictures that nothing uses." })),
  },
  { additionalProperties: false },
);

export const assetPage = Type.Object({
  assets: Type.Array(
    Type.Object({
      ...asset.properties,
      used_in: Type.Array(assetUse, {
        description: "Articles whose text, main picture or draft copy has it; at most 100 of them.",
      }),
      use_count: count("How many articles use it."),
      is_in_unsaved_text: Type.Boolean({
        description: "Whether it is in a text that somebody has typed and not saved, or in a held change.",
      }),
    }),
  ),
  next: textOrNull("The cursor of the next page; null if there is none."),
  unused_count: countOrNull("How many pictures nothing uses; null on later pages."),
});
export type AssetPage = Static<typeof assetPage>;

export const assetChange = Type.Object(
  { alt: Type.String({ maxLength: MAX_ALT_LENGTH }) },
  { additionalProperties: false },
);

const MAX_DELETED_ASSETS = 1_000;

export const unusedAssetsDeletion = Type.Object(
  {
    website_id: Type.String({ maxLength: 100 }),
    ids: Type.Array(Type.String({ format: "uuid" }), { minItems: 1, maxItems: MAX_DELETED_ASSETS, uniqueItems: true }),
  },
  { additionalProperties: false },
);

const namedAsset = Type.Object({ id: uuid("Its id."), name: Type.String() });

export const unusedAssetsDeleted = Type.Object({
  deleted: Type.Array(namedAsset),
  used: Type.Array(namedAsset, { description: "Those that are used by now, and stay." }),
});
export type UnusedAssetsDeleted = Static<typeof unusedAssetsDeleted>;

export const assetReplacement = Type.Object(
  { by: Type.String({ format: "uuid", description: "The id of the other picture." }) },
  { additionalProperties: false },
);

export const assetReplaced = Type.Object({
  changed: Type.Array(
    Type.Object({
      id: uuid("Its id."),
      title: Type.String(),
      is_drafted: Type.Boolean({ description: "Whether the change is in the draft copy of a published article." }),
    }),
  ),
  left: Type.Array(Type.Object({ id: uuid("Its id."), title: Type.String(), reason: Type.String() }), {
    description: "Articles that still have the old picture.",
  }),
});
export type AssetReplaced = Static<typeof assetReplaced>;

export const assetDeletion = Type.Object(
  {
    even_if_used: Type.Optional(
      oneOf(["true"] as const, { description: "Otherwise a picture that is used is not deleted." }),
    ),
  },
  { additionalProperties: false },
);
