import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "./empty-state.tsx";
import { Page } from "./page.tsx";
import type { Role } from "./session.tsx";

interface NoAccessProps {
  /** The page's title. */
  title: string;
  /** The lowest role with access. */
  needs: Role;
}

const WHO: Record<Role, string> = {
  viewer: "members",
  editor: "editors, approvers and owners",
  approver: "approvers and owners",
  owner: "owners",
};

/** Shown in place of a page that the user may not open. */
export function NoAccess({ title, needs }: NoAccessProps): ReactNode {
  return (
    <Page title={title}>
      <EmptyState icon={<IconLock size={28} />} title={`Only ${WHO[needs]} can open this page`}>
        Ask an owner if you need access.
      </EmptyState>
    </Page>
  );
}
