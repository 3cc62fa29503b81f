/** Pictures, which clients upload before the post that shows them. */
import { type Asset, assetPath } from "../../domain/articles/assets/asset.ts";
import { assetUrl, changeAlt } from "../../operations/articles/assets/assets.ts";
import * as media from "../../operations/articles/senders/wordpress.ts";
import { readWebsite } from "../../operations/website/websites.ts";
import { addPicture } from "./add-picture.ts";
import { parseMultipart } from "./multipart.ts";
import {
  readField,
  toFields,
  readFields,
  readInclude,
  toPage,
  type WordPressCall,
  WordPressError,
  type WordPressReply,
} from "./wordpress-request.ts";
import { apiAddress, siteAddress } from "./wordpress-site.ts";
import { toWordPressTime } from "./wordpress-posts.ts";

export async function createMedia(call: WordPressCall): Promise<WordPressReply> {
  const { deps, sender, request, body } = call;
  const { headers, query } = request;
  const parts = parseMultipart(headers["content-type"], body);
  const file = parts === null ? body : parts.find(({ filename }) => filename !== null)?.bytes;
  if (file === undefined || file.length === 0)
    throw new WordPressError(400, "rest_upload_no_data", "No data supplied.");
  const sent = parts?.find(({ filename }) => filename !== null)?.filename;
  const name = sent ?? readFileName(headers["content-disposition"] ?? "");
  const fields = { ...query, ...(parts === null ? {} : toFields(parts)) };
  const alt = readField(fields, "alt_text") ?? "";
  const asset = await addPicture(call, sender, { bytes: file, name, alt });
  const shown = await present(call, await media.numberMedia(deps, sender, asset.id), asset);
  return { status: 201, headers: { Location: shown._links.self[0]?.href ?? "" }, body: shown };
}

/** RFC 6266; empty: there is none. */
function readFileName(disposition: string): string {
  const [, encoded] = /;\s*filename\*=UTF-8''([^\s;]+)/i.exec(disposition) ?? [];
  const [, quoted, plain = ""] = /;\s*filename=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  try {
    return encoded === undefined ? (quoted ?? plain) : decodeURIComponent(encoded);
  } catch {
    return quoted ?? plain;
  }
}

/** Only the alternative text is kept. */
export async function changeMedia(call: WordPressCall): Promise<WordPressReply> {
  const { deps, sender, address } = call;
  const { number, asset } = await findMedia(call);
  const alt = readField(readFields(call), "alt_text");
  const isChanged = alt !== undefined && alt !== asset.alt;
  const changed = isChanged ? await changeAlt(deps, asset, alt, { actor: sender.id, address }) : asset;
  return { body: await present(call, number, changed) };
}

export async function getMedia(call: WordPressCall): Promise<WordPressReply> {
  const { number, asset } = await findMedia(call);
  return { body: await present(call, number, asset) };
}

export async function keepMedia(call: WordPressCall): Promise<WordPressReply> {
  await findMedia(call);
  throw new WordPressError(
    403,
    "rest_cannot_delete",
    "Pictures are deleted in the dashboard, once nothing shows them.",
  );
}

export async function listMedia(call: WordPressCall): Promise<WordPressReply> {
  const { deps, sender, request } = call;
  const include = readInclude(request.query);
  const search = request.query["search"]?.trim().toLowerCase() ?? "";
  const all = (await media.listMedia(deps, sender)).filter(
    ({ number, asset: { name, alt } }) =>
      (include === null || include.has(number)) && `${name} ${alt}`.toLowerCase().includes(search),
  );
  const { page, headers } = toPage(all, request.query);
  return { headers, body: await Promise.all(page.map(({ number, asset }) => present(call, number, asset))) };
}

async function findMedia({
  deps,
  sender,
  numbers: [number = 0],
}: WordPressCall): Promise<{ number: number; asset: Asset }> {
  const asset = await media.readMedia(deps, sender, number);
  if (asset === undefined) throw new WordPressError(404, "rest_post_invalid_id", "Invalid post ID.");
  return { number, asset };
}

async function present(call: WordPressCall, number: number, asset: Asset) {
  const { deps, sender, base } = call;
  const url = assetUrl(asset, await readWebsite(deps, sender.websiteId), base);
  const time = toWordPressTime(asset.createdAt);
  const name = asset.name.replace(/\.\w+$/, "");
  const file = assetPath(asset).slice(1);
  const { width, height } = asset;
  return {
    id: number,
    date: time,
    date_gmt: time,
    guid: { rendered: url, raw: url },
    modified: time,
    modified_gmt: time,
    slug: name,
    status: "inherit",
    type: "attachment",
    link: `${siteAddress(call)}/?attachment_id=${number}`,
    title: { raw: name, rendered: name },
    author: 1,
    featured_media: 0,
    comment_status: "closed",
    ping_status: "closed",
    template: "",
    meta: [],
    description: { raw: "", rendered: "" },
    caption: { raw: "", rendered: "" },
    alt_text: asset.alt,
    media_type: "image",
    mime_type: asset.type,
    media_details: {
      width,
      height,
      file,
      filesize: asset.bytes,
      sizes: { full: { file: asset.name, width, height, mime_type: asset.type, source_url: url } },
    },
    post: null,
    source_url: url,
    _links: { self: [{ href: `${apiAddress(call)}/wp/v2/media/${number}` }] },
  };
}
