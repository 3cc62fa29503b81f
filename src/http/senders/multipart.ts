/** One picture and its fields as `multipart/form-data` (RFC 7578). Only the envelope is read here: the bytes are looked at by a content process. */

const MAX_PARTS = 20;
const MAX_HEAD = 8_000;

export interface FormPart {
  name: string;
  /** Null: a field. */
  filename: string | null;
  bytes: Buffer;
}

/** Null: it is no such form, or is cut off. */
export function parseMultipart(contentType: string | undefined, body: Buffer): FormPart[] | null {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const separator = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first separator has no line before it.
  let at = body.subarray(0, separator.length - 2).equals(separator.subarray(2)) ? separator.length - 2 : -1;
  if (at === -1) {
    const found = body.indexOf(separator);
    at = found === -1 ? -1 : found + separator.length;
  }
  while (at !== -1 && parts.length < MAX_PARTS) {
    if (body.subarray(at, at + 2).toString("latin1") === "--") return parts;
    const start = body.indexOf("\r\n\r\n", at);
    const end = start === -1 ? -1 : body.indexOf(separator, start + 2);
    if (end === -1 || start - at > MAX_HEAD) return null;
    const part = readHead(body.subarray(at, start).toString());
    // An empty part ends where its head does.
    if (part !== null) parts.push({ ...part, bytes: body.subarray(Math.min(start + 4, end), end) });
    at = end + separator.length;
  }
  return null;
}

function readHead(head: string): Pick<FormPart, "name" | "filename"> | null {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(head)?.[1];
  if (disposition === undefined) return null;
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of disposition.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  const name = parameters.get("name");
  return name === undefined ? null : { name, filename: parameters.get("filename") ?? null };
}

const PARAMETER = /;\s*(name|filename)=(?:"([^"]*)"|([^\s;"]+))/gi;
