import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { CopyButton } from "../../shared/copy-button.tsx";
import { Section } from "../../shared/page.tsx";
import classes from "./website-page.module.css";
import { WebsiteSwitch } from "./website-switch.tsx";

const FILES = [
  { name: "atom.xml", what: "Atom feed" },
  { name: "rss.xml", what: "RSS feed" },
  { name: "feed.json", what: "JSON feed" },
  { name: "sitemap.xml", what: "sitemap" },
  { name: "llms.txt", what: "list for language models" },
];

/** Whether everybody gets the website's feeds from the service. */
export function FeedsSetting({ website }: { website: Website }): ReactNode {
  return (
    <Section
      title="Feeds and sitemap"
      description="For websites that don't generate their own. Public, with full text; no key needed."
    >
      <WebsiteSwitch
        website={website}
        setting="serves_feeds"
        label="Serve feeds and a sitemap to everybody"
        checked={website.serves_feeds}
      />
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
