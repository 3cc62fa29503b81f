import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { post } from "../../api/client.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Page } from "../../shared/page.tsx";
import { useMayEverywhere } from "../../shared/session.tsx";
import { localZone } from "../../shared/zones.ts";
import { WebsiteForm } from "./website-form.tsx";

const EMPTY = {
  name: "",
  url: null,
  url_pattern: null,
  preview_url: null,
  asset_url: null,
  language: null,
  time_zone: localZone(),
};

export function NewWebsitePage(): ReactNode {
  const mayCreate = useMayEverywhere("website.manage");
  const client = useQueryClient();
  const navigate = useNavigate();
  if (!mayCreate) {
    return (
      <Page title="New website" width="narrow">
        <EmptyState title="Only an owner of every website can create one">
          Ask the administrator of this service.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title="New website"
      width="narrow"
      description="Each website has its own articles, API keys, webhooks and members."
    >
      <WebsiteForm
        isNew
        initial={EMPTY}
        article={null}
        submitLabel="Create"
        onSubmit={(input) => post<Website>("/websites", { body: input })}
        onSaved={async ({ id }) => {
          await client.invalidateQueries({ queryKey: ["session"] });
          await navigate({ to: "/getting-started", search: { website: id } });
        }}
      />
    </Page>
  );
}
