/** The part of Ghost's own client that the tests use; it has no types. */
declare module "@tryghost/admin-api" {
  type Fields = Record<string, unknown>;
  type Listed = Fields[] & { meta?: { pagination: Record<string, number | null> } };

  export default class GhostAdminAPI {
    constructor(options: { url: string; key: string; version: string; userAgent?: boolean | string });
    posts: {
      add(post: Fields, query?: Fields): Promise<Fields>;
      edit(post: Fields, query?: Fields): Promise<Fields>;
      read(which: { id: string } | { slug: string }, query?: Fields): Promise<Fields>;
      browse(query?: Fields): Promise<Listed>;
      delete(which: { id: string }): Promise<unknown>;
    };
    tags: { browse(query?: Fields): Promise<Listed> };
    users: { browse(query?: Fields): Promise<Listed> };
    images: { upload(picture: { file: string; ref?: string }): Promise<{ url: string; ref: string | null }> };
    site: { read(): Promise<Fields> };
    config: { read(): Promise<Fields> };
  }
}
