import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { Section } from "../../shared/page.tsx";
import { WebsiteSwitch } from "./website-switch.tsx";

/** Whether articles in different languages may have the same slug. */
export function SlugsSetting({ website }: { website: Website }): ReactNode {
  return (
    <Section
      title="Slugs"
      description="With separate slugs for each language, translations can share one, such as /en/about and /de/about. Existing slugs stay as they are."
    >
      <WebsiteSwitch
        website={website}
        setting="slugs_per_language"
        label="Separate slugs for each language"
        checked={website.slugs_per_language}
      />
    </Section>
  );
}
