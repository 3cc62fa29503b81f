import { expect, test } from "vitest";
import { show } from "../../../../test/render.tsx";
import type { Finding } from "../../../../../src/domain/articles/findings.ts";
import { FindingsList } from "./findings-list.tsx";
import { groupFindings, toRequest } from "./problems.ts";

const finding = (given: Partial<Finding>): Finding => ({
  kind: "todo",
  severity: "warn",
  field: "text",
  block: 0,
  start: 0,
  end: 4,
  quote: "TODO",
  message: "A note to the writer is left.",
  ...given,
});

const gaps = [1, 2, 3, 4, 5].map((block) =>
  finding({ kind: "placeholder", severity: "block", block, quote: `[Gap ${block}]`, message: "A gap to fill in." }),
);
const group = (findings: Finding[]) => groupFindings({ status: "fail", blocking: 1, warnings: 1, findings });

test("kinds that block come first, each with its sentence once and the first of many places", async () => {
  const chosen: string[] = [];
  const screen = await show(
    <FindingsList
      problems={group([finding({}), ...gaps])}
      active={null}
      onChoose={({ quote }) => void chosen.push(quote)}
    />,
  );
  expect(
    screen
      .getByRole("heading")
      .elements()
      .map(({ textContent }) => textContent),
  ).toEqual(["Gap to fill in5", "Note to the writer"]);
  expect(screen.getByText("A gap to fill in.").elements()).toHaveLength(1);
  expect(screen.getByText("[Gap 4]").elements()).toHaveLength(0);
  await screen.getByText("Show 2 more").click();
  await screen.getByText("[Gap 5]").click();
  expect(chosen).toEqual(["[Gap 5]"]);
});

test("the active finding is listed even if it is one of those left out, and marked", async () => {
  const problems = group(gaps);
  const screen = await show(<FindingsList problems={problems} active={gaps[4] ?? null} onChoose={() => undefined} />);
  await expect.element(screen.getByText("[Gap 5]")).toBeVisible();
  expect(document.querySelector("[aria-current]")?.textContent).toContain("[Gap 5]");
});

test("a place that the text does not show is named; the whole text has none", async () => {
  const screen = await show(
    <FindingsList
      problems={group([
        finding({ field: "meta_description", block: null, quote: "&amp;" }),
        finding({ kind: "no_article", severity: "block", block: null, quote: "" }),
      ])}
      active={null}
      onChoose={() => undefined}
    />,
  );
  await expect.element(screen.getByText("In the meta description")).toBeVisible();
  expect(screen.getByRole("button").elements()).toHaveLength(0);
});

test("a request for changes quotes each place once", () => {
  const [problem] = group([...gaps.slice(0, 2), finding({ kind: "placeholder", block: 9, quote: "[Gap 1]" })]);
  expect(problem && toRequest(problem)).toBe("Gap to fill in: A gap to fill in.\n“[Gap 1]”\n“[Gap 2]”");
});
