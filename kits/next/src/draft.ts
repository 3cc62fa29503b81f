/** Previews of unpublished articles, using Next.js's draft mode. */
import { cookies, draftMode } from "next/headers";

const COOKIE = "rostrum-preview";
/** Lifetime of a preview token. */
const SECONDS = 3600;

/**
 * Handles the website's preview URL, in `app/preview/route.ts`: `export const { GET } = createDraftHandlers({ path })`. In the
 * website's settings, enter `https://example.com/preview?slug={slug}&token={token}`. `path` returns the path of an article's page; its language is
 * known if the address has `lang={lang}`, too.
 */
export function createDraftHandlers({ path }: { path: (slug: string, lang: string | undefined) => string }) {
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
      return redirectTo(path(slug, searchParams.get("lang") || undefined));
    },
    /** Ends the preview. */
    DELETE: async (): Promise<Response> => {
      (await draftMode()).disable();
      (await cookies()).delete(COOKIE);
      return redirectTo("/");
    },
  };
}

/** Pass the result to the client's `get` and `getBySlug` to get the article as the preview shows it. */
export async function previewOptions(): Promise<{ previewToken?: string }> {
  if (!(await draftMode()).isEnabled) return {};
  const token = (await cookies()).get(COOKIE)?.value;
  return token === undefined ? {} : { previewToken: token };
}

/** The slug cannot lead to another website. */
function redirectTo(path: string): Response {
  const { pathname, search } = new URL(path, "http://site.invalid");
  return new Response(null, { status: 307, headers: { Location: `${pathname.replace(/^\/+/, "/")}${search}` } });
}

function isSecure(request: Request): boolean {
  return request.url.startsWith("https:") || request.headers.get("x-forwarded-proto") === "https";
}
