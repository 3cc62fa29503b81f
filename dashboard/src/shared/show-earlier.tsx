import { Button } from "@mantine/core";
import type { ReactNode } from "react";

interface ShowEarlierProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** A button that loads the next page of a list, newest first; absent on the last page. */
export function ShowEarlier({ query }: ShowEarlierProps): ReactNode {
  if (!query.hasNextPage) return null;
  return (
    <Button
      variant="default"
      w="fit-content"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      Show earlier
    </Button>
  );
}
