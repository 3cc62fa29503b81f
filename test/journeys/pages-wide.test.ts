/** Colours are the same at each width, and structure is the same in each colour: pages-narrow.test.ts looks at the others. */
import { lookAtPages } from "./check-pages.ts";
import { WIDE } from "./pages.ts";

lookAtPages({ ...WIDE, colorScheme: "light" });
