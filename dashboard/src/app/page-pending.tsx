import type { ReactNode } from "react";
import { Skeleton } from "@mantine/core";
import { RowsSkeleton } from "../shared/skeletons.tsx";
import classes from "./page-pending.module.css";

/** Shown while a page loads slowly for the first time: placeholders for the heading and the content. */
export function PagePending(): ReactNode {
  return (
    <div className={classes.root}>
      <Skeleton h={22} w={180} radius="xl" mt={8} mb={24} />
      <RowsSkeleton />
    </div>
  );
}
