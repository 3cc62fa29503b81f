/** @returns what `load` gives: it is called at the first use, and again at the next one after it has failed. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return async () => {
    const mine = (loading ??= load());
    try {
      return await mine;
    } catch (error) {
      if (loading === mine) loading = undefined;
      throw error;
    }
  };
}
