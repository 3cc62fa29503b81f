import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { toast } from "../../shared/toasts.ts";

interface WebsiteSwitchProps {
  website: Website;
  setting: "index_now" | "names_reviewers" | "requires_second_person" | "serves_feeds" | "slugs_per_language";
  label: string;
  checked: boolean;
}

/** Turns a setting of the website on or off, at once. */
export function WebsiteSwitch({ website, setting, label, checked }: WebsiteSwitchProps): ReactNode {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (isOn: boolean) => patch<Website>(apiPath`/websites/${website.id}`, { body: { [setting]: isOn } }),
    onSuccess: (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
    },
  });
  return (
    <>
      <Switch
        label={label}
        checked={checked}
        disabled={saving.isPending}
        onChange={(event) => saving.mutate(event.currentTarget.checked)}
      />
      <ErrorNote error={saving.error} />
    </>
  );
}
