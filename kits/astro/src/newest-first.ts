interface Dated {
  data: { id: string; published_at: string | null };
}

/**
 * Sorts as the service does: by publication, then by id. What is not published yet, which only keys of scope `preview` read,
 * comes first.
 */
export function newestFirst<One extends Dated>(entries: readonly One[]): One[] {
  return [...entries].sort((one, other) => toTime(other) - toTime(one) || (one.data.id < other.data.id ? -1 : 1));
}

function toTime({ data }: Dated): number {
  return data.published_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(data.published_at);
}
