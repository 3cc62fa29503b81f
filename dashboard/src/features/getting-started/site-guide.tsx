import { Accordion, Code, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CodeBlock } from "../../shared/code-block.tsx";
import type { GUIDES } from "./guides.ts";
import type { Filled } from "./request-snippets.ts";

/** A website with one framework: what to set, what to install, and its files, one of which is open at a time. */
export function SiteGuide({ guide, filled }: { guide: (typeof GUIDES)[number]; filled: Filled }): ReactNode {
  const { name, packages, variables, install, files } = guide;
  const values: Record<string, string> = {
    ROSTRUM_URL: filled.baseUrl,
    ROSTRUM_API_KEY: filled.key,
    SITE_URL: filled.siteUrl,
    ORIGIN: filled.siteUrl,
    WEBHOOK_SECRET: "whsec_…",
  };
  const environment = variables.map((variable) => `${variable}=${values[variable] ?? ""}\n`).join("");
  return (
    <Stack gap="sm">
      <CodeBlock code={environment} title="The site's environment" label={`the environment of the ${name} site`} />
      <CodeBlock code={install} title="In the site's folder" label={`the commands of the ${name} site`} />
      <Text size="sm" c="dimmed">
        {"Build its packages in a checkout of Rostrum: "}
        <Code>{`npm pack ${packages.map((one) => `--workspace ${one}`).join(" ")}`}</Code>
      </Text>
      <Accordion variant="contained" order={3}>
        {files.map((file) => (
          <Accordion.Item key={file.name} value={file.name}>
            <Accordion.Control>
              <Text size="sm" ff="monospace">
                {file.name}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <CodeBlock code={file.code} label={`the code of ${file.name}`} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}
