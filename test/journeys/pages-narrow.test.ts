import { lookAtPages } from "./check-pages.ts";
import { NARROW } from "./pages.ts";

lookAtPages({ ...NARROW, colorScheme: "dark" });
