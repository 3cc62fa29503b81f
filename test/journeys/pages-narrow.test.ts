import { lookAtPages } from "./look-at-pages.ts";
import { NARROW } from "./pages.ts";

lookAtPages({ ...NARROW, colorScheme: "dark" });
