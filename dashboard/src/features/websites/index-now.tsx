import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { IndexNowPings, Website } from "../../../../src/http/admin/contract/websites.ts";
import { apiPath, get } from "../../api/client.ts";
import { CopyButton } from "../../shared/copy-button.tsx";
import { ErrorNote } from "../../shared/error-note.tsx";
import { Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import classes from "./website-page.module.css";
import { WebsiteSwitch } from "./website-switch.tsx";

const OUTCOMES = { sent: "Sent", retried: "Failed, will be retried", given_up: "Given up" };

/** Whether search engines are told which pages have changed, and what they were told lately. */
export function IndexNow({ website }: { website: Website }): ReactNode {
  const { index_now_key: key, url } = website;
  const address = key === null || url === null ? null : `${new URL(url).origin}/${key}.txt`;
  return (
    <Section title="IndexNow" description="Tells search engines about changed pages within seconds.">
      <WebsiteSwitch
        website={website}
        setting="index_now"
        label="Tell search engines about changes"
        checked={key !== null}
      />
      {key !== null && address !== null && (
        <>
          <Text size="sm">The website must serve the key, and nothing else, at this address:</Text>
          <div className={classes.id}>
            <code>{address}</code>
            <CopyButton value={address} label="Copy the address of the key" />
          </div>
          <div className={classes.id}>
            <code>{key}</code>
            <CopyButton value={key} label="Copy the key for search engines" />
          </div>
          <Pings websiteId={website.id} />
        </>
      )}
    </Section>
  );
}

function Pings({ websiteId }: { websiteId: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ["websites", websiteId, "index-now"],
    queryFn: ({ signal }) => get<IndexNowPings>(apiPath`/websites/${websiteId}/index-now`, { signal }),
  });
  return (
    <>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data?.pings.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing was sent recently.
        </Text>
      )}
      {data?.pings.map((ping) => (
        <Text key={ping.at} size="sm">
          <Time at={ping.at} />
          {`: ${ping.addresses} ${ping.addresses === 1 ? "page" : "pages"}. ${OUTCOMES[ping.outcome]}${
            ping.error === null ? "" : `: ${ping.error}`
          }`}
        </Text>
      ))}
      {data !== undefined && data.next_at !== null && (
        <Text size="sm" c="dimmed">
          {"Next try: "}
          <Time at={data.next_at} isPlanned />
        </Text>
      )}
    </>
  );
}
