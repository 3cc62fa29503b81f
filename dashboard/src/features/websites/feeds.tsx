import { Anchor, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, patch } from "../../api/client.ts";
import { CopyButton } from "../../shared/copy-button.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { toast } from "../../shared/toasts.ts";
import classes from "./website-page.module.css";

const FILES = [
  { name: "atom.xml", what: "Atom feed" },
  { name: "rss.xml", what: "RSS feed" },
  { name: "feed.json", what: "JSON feed" },
  { name: "sitemap.xml", what: "sitemap" },
  { name: "llms.txt", what: "list for language models" },
];

/** Whether everybody gets the website's feeds from the service. */
export function FeedsSetting({ website }: { website: Website }): ReactNode {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (serves_feeds: boolean) => patch<Website>(apiPath`/websites/${website.id}`, { body: { serves_feeds } }),
    onSuccess: (saved) => {
      client.setQueryData(["websites", website.id], saved);
      toast("Saved.");
    },
  });
  return (
    <Section
      title="Feeds and sitemap"
      description="For sites that do not make their own. They contain what is published, with the full text, and need no key."
    >
      <Switch
        label="Serve feeds and a sitemap to everybody"
        checked={website.serves_feeds}
        disabled={saving.isPending}
        onChange={(event) => saving.mutate(event.currentTarget.checked)}
      />
      <ErrorNote error={saving.error} />
      {website.serves_feeds &&
        FILES.map(({ name, what }) => {
          const address = `${globalThis.location.origin}/feeds/${website.id}/${name}`;
          return (
            <div key={name} className={classes.id}>
              <Anchor href={address} target="_blank" rel="noreferrer" size="sm" ff="monospace">
                {name}
              </Anchor>
              <CopyButton value={address} label={`Copy the address of the ${what}`} />
            </div>
          );
        })}
    </Section>
  );
}
