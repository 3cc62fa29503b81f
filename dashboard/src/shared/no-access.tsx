import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "./empty-state.tsx";
import { Page } from "./page.tsx";
import type { Role } from "./session.tsx";

interface NoAccessProps {
  /** Of the page. */
  title: string;
  /** The least role that may. */
  needs: Role;
}

/** Instead of a page, for somebody who followed a link to it and may not. */
export function NoAccess({ title, needs }: NoAccessProps): ReactNode {
  return (
    <Page title={title}>
      <EmptyState icon={<IconLock size={28} />} title={`This takes the role ${needs}`}>
        You are a member with another role. Ask an owner if you need it for your work.
      </EmptyState>
    </Page>
  );
}
