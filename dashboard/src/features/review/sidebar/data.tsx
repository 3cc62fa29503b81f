/** Third-party data, as names and plain text. */
import type { ReactNode } from "react";
import { Fact, Facts } from "./facts.tsx";

export function Data({ data }: { data: Record<string, unknown> }): ReactNode {
  return (
    <Facts>
      {Object.entries(data).map(([name, value]) => (
        <Fact key={name} name={name}>
          {plain(value)}
        </Fact>
      ))}
    </Facts>
  );
}

function plain(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
