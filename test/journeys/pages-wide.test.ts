/** Colours do not depend on the width, nor the structure on the colours: pages-narrow.test.ts checks the other combinations. */
import { lookAtPages } from "./check-pages.ts";
import { WIDE } from "./pages.ts";

lookAtPages({ ...WIDE, colorScheme: "light" });
