import type { ReactNode } from "react";
import type { Website } from "../../../../src/http/admin/contract/websites.ts";
import { Section } from "../../shared/page.tsx";
import { WebsiteSwitch } from "./website-switch.tsx";

/** Whether articles are approved by somebody other than those who wrote them. */
export function SecondPerson({ website }: { website: Website }): ReactNode {
  return (
    <Section title="Approval" description="When on, nobody can approve an article that they wrote or last changed.">
      <WebsiteSwitch
        website={website}
        setting="requires_second_person"
        label="A second person approves every article"
        checked={website.requires_second_person}
      />
    </Section>
  );
}
