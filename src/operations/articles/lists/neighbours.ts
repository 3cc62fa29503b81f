/** The articles before and after a published one (docs/specification.md, 4.12). */
import type { ListForm } from "../../../domain/articles/api-format.ts";
import { defaultSort, publishedForms } from "../../../store/articles/article-queries.ts";
import type { SnapshotReader } from "../read-model/read-model.ts";

/** Enough for a link. */
interface Neighbour extends Pick<ListForm, "id" | "title" | "slug" | "published_at" | "platform_url"> {
  /** BCP 47; null: the website's own. */
  language: string | null;
}

export interface Neighbours {
  previous: Neighbour | null;
  next: Neighbour | null;
}

/** In the default order of a list of published articles; `language`: of those in it. */
export async function findNeighbours(
  snapshot: SnapshotReader,
  rowNo: number,
  language: string | undefined,
): Promise<Neighbours> {
  const filter = language === undefined ? {} : { language };
  const rowNos = await snapshot.beside({ status: "published", sort: defaultSort("published"), filter }, rowNo);
  const found = await publishedForms(
    snapshot.db,
    rowNos.filter((one) => one !== undefined),
  );
  const [previous = null, next = null] = rowNos.map((wanted) => {
    const row = found.find(({ row_no }) => row_no === wanted);
    if (row === undefined) return null;
    // The list form was made by `toListForm`.
    const { id, title, slug, published_at, platform_url } = JSON.parse(row.list_form) as ListForm;
    return { id, title, slug, language: row.language, published_at, platform_url };
  });
  return { previous, next };
}
