import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { Section } from "../../shared/page.tsx";
import { WebsiteSwitch } from "./website-switch.tsx";

/** Whether articles in different languages may have the same slug. */
export function SlugsSetting({ website }: { website: Website }): ReactNode {
  return (
    <Section
      title="Slugs"
      description="With slugs for each language, translations may share one, as /en/about and /de/about do. Slugs that articles have stay as they are."
    >
      <WebsiteSwitch
        website={website}
        setting="slugs_per_language"
        label="Each language has slugs of its own"
        checked={website.slugs_per_language}
      />
    </Section>
  );
}
