import IconMapOff from "@tabler/icons-react/dist/esm/icons/IconMapOff.mjs";
import type { ReactNode } from "react";
import { EmptyState } from "../shared/empty-state.tsx";
import { ButtonLink } from "../shared/links.tsx";
import { Page } from "../shared/page.tsx";

export function NotFoundPage(): ReactNode {
  return (
    <Page title="Page not found" tabTitle="Not found">
      <EmptyState
        icon={<IconMapOff size={28} />}
        title="It may have been moved or deleted"
        actions={<ButtonLink to="/">Go to the overview</ButtonLink>}
      >
        Check the address for typos, or use the navigation.
      </EmptyState>
    </Page>
  );
}
