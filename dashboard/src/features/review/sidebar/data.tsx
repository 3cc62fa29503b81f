/** Third-party data, in words. */
import type { ReactNode } from "react";
import { Fact, FactList } from "./facts.tsx";

export function Data({ data }: { data: Record<string, unknown> }): ReactNode {
  return (
    <FactList>
      {Object.entries(data).map(([name, value]) => (
        <Fact key={name} name={toWords(name)}>
          {plain(value)}
        </Fact>
      ))}
    </FactList>
  );
}

function plain(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en");
  if (Array.isArray(value)) return value.map((one) => plain(one) ?? "–").join(", ") || null;
  return (
    Object.entries(value)
      .map(([name, one]) => `${toWords(name).toLowerCase()}: ${plain(one) ?? "–"}`)
      .join("; ") || null
  );
}

/** `input_tokens`, `inputTokens` → “Input tokens”. */
function toWords(name: string): string {
  const words = name
    .replaceAll(/[_-]/g, " ")
    .replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
