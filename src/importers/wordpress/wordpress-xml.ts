import { AppError } from "../../domain/system/errors.ts";
import type { ImportFile } from "../import-file.ts";
import { beginItem, NoArticles } from "../import-item.ts";
import type { ImportContext, ReadItem } from "../import-item.ts";
import { peekText } from "../text-encoding.ts";
import { toAttachment, postItem } from "./wordpress-post.ts";
import type { Attachment } from "./wordpress-text.ts";
import { wxrItems } from "./wxr-items.ts";

/**
 * Reads a WordPress export (WXR; Squarespace writes the same). The file is read twice: a post refers to its image by number,
 * and the attachment with that number may be anywhere in the file.
 */
export async function* readWordPressXml(file: ImportFile, context: ImportContext): AsyncGenerator<ReadItem> {
  if (!/wordpress\.org\/export\/|<wp:wxr_version/.test(peekText(file.head))) {
    throw new NoArticles("It is not an export of WordPress (WXR) with articles in it.");
  }
  const attachments = new Map<string, Attachment>();
  for await (const item of wxrItems(file.open(0.5))) {
    const attachment = item.kind === "item" ? toAttachment(item) : null;
    if (attachment !== null) attachments.set(attachment.id, attachment);
  }
  let count = 0;
  for await (const item of wxrItems(file.open(0.5))) {
    if (item.kind === "item") {
      count += 1;
      const bytes = item.fields.get("content:encoded")?.length;
      yield beginItem(context, file.name, bytes, () => postItem(item, file.name, attachments, context));
      continue;
    }
    if (count === 0) throw new AppError("invalid", `${item.reason} Nothing was read: export it again.`);
    const reason = `${item.reason} The ${count} items before this place were read, what comes after it was not.`;
    yield { kind: "failed", source: file.name, reason };
  }
}
