import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import type { Preview } from "../../../../../src/http/admin/contract/review.ts";
import { FindingsList } from "../findings/findings-list.tsx";
import type { Problem } from "../findings/problems.ts";
import { QualityPanel } from "../sidebar/quality-panel.tsx";

interface AdviceProps {
  metrics: Preview["quality_metrics"];
  problems: readonly Problem[];
  active: Finding | null;
  onChoose: (finding: Finding) => void;
}

/** The findings in the text, and advice that would raise its scores. */
export function Advice({ metrics, problems, active, onChoose }: AdviceProps): ReactNode {
  return (
    <Stack gap="lg">
      {problems.length > 0 && <FindingsList problems={problems} active={active} onChoose={onChoose} />}
      <QualityPanel metrics={metrics} />
    </Stack>
  );
}
