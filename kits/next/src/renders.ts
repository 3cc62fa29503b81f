import { after } from "next/server";
import { registerRender } from "./render-registry.ts";

/**
 * Records that the page that is being rendered uses an answer with these tags. Next.js gives such a page to everybody who asks for it
 * meanwhile, also after a webhook has expired it.
 */
export function recordRead(tags: readonly string[]): void {
  const end = registerRender(tags);
  try {
    after(async () => end());
  } catch {
    // No page is being rendered.
    end();
  }
}
