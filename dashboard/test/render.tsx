/** For tests of components: what all of them stand in. */
import "@mantine/core/styles.layer.css";
import "../src/app/theme.css";
import "../src/app/global.css";
import { MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { type RenderResult, render } from "vitest-browser-react";
import { theme } from "../src/app/theme.ts";

/** In a real page, with the dashboard's theme; gone before the next test. */
export function show(element: ReactNode): Promise<RenderResult> {
  return render(
    <MantineProvider theme={theme} withCssVariables={false} env="test">
      {element}
    </MantineProvider>,
  );
}
