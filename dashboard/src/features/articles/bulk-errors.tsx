import { Alert, List, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { TextLink } from "../../shared/links.tsx";
import type { BulkOutcome } from "./bulk.ts";
import { BULK, formatCount } from "./views.ts";

const MAX_SHOWN = 20;

/** Lists the articles for which a bulk action failed, with the reasons. Those that were selected one by one stay selected. */
export function BulkErrors({ outcome, onClose }: { outcome: BulkOutcome; onClose: () => void }): ReactNode {
  const { action, done, refusals, refused, held, end } = outcome;
  const hidden = refusals - Math.min(refused.length, MAX_SHOWN);
  const findings = held === 0 ? "" : `, ${held.toLocaleString("en")} of them because of findings in the text`;
  const title = `${formatCount(done)} ${BULK[action].done}, ${refusals.toLocaleString("en")} refused${findings}`;
  return (
    <Alert
      role="alert"
      color="amber"
      title={title}
      icon={<IconAlertTriangle size={18} />}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {end !== null && (
        <Text size="sm" mb="xs">
          {end}
        </Text>
      )}
      <List size="sm" spacing={4}>
        {refused.slice(0, MAX_SHOWN).map(({ article, message }) => (
          <List.Item key={article.id}>
            <TextLink to="/articles/$id" params={{ id: article.id }} size="sm" fw={550}>
              {article.title}
            </TextLink>
            {`: ${message}`}
          </List.Item>
        ))}
      </List>
      {hidden > 0 && <Text size="sm" mt="xs">{`And ${formatCount(hidden)} more.`}</Text>}
    </Alert>
  );
}
