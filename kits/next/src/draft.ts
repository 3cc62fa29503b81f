/** Previews of articles that are not published yet, by Next.js's draft mode. */
import { cookies, draftMode } from "next/headers";

const COOKIE = "rostrum-preview";
/** As long as a preview's token lives. */
const SECONDS = 3600;

/**
 * Handles the website's preview address, in `app/preview/route.ts`: `export const { GET } = createDraftHandlers({ path })`.
 * The address in the website's settings is `https://example.com/preview?slug={slug}&token={token}`.
 * `path` is that of an article's page.
 */
export function createDraftHandlers({ path }: { path: (slug: string) => string }) {
  return {
    GET: async (request: Request): Promise<Response> => {
      const { searchParams } = new URL(request.url);
      const [slug, token] = [searchParams.get("slug"), searchParams.get("token")];
      if (slug === null || token === null) return new Response("slug and token are missing", { status: 400 });
      (await draftMode()).enable();
      (await cookies()).set(COOKIE, token, {
        httpOnly: true,
        sameSite: "lax",
        secure: isSecure(request),
        maxAge: SECONDS,
        path: "/",
      });
      return redirectTo(path(slug));
    },
    /** Ends the preview. */
    DELETE: async (): Promise<Response> => {
      (await draftMode()).disable();
      (await cookies()).delete(COOKIE);
      return redirectTo("/");
    },
  };
}

/** Pass it to the client's `get` and `getBySlug`: the article as the preview shows it, where there is one. */
export async function previewOptions(): Promise<{ previewToken?: string }> {
  if (!(await draftMode()).isEnabled) return {};
  const token = (await cookies()).get(COOKIE)?.value;
  return token === undefined ? {} : { previewToken: token };
}

/** The path stays on this website, whatever the slug is. */
function redirectTo(path: string): Response {
  const { pathname, search } = new URL(path, "http://site.invalid");
  return new Response(null, { status: 307, headers: { Location: `${pathname.replace(/^\/+/, "/")}${search}` } });
}

function isSecure(request: Request): boolean {
  return request.url.startsWith("https:") || request.headers.get("x-forwarded-proto") === "https";
}
