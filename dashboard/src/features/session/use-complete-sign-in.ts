import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { sessionQuery } from "../../api/session.ts";

/** @returns a function that reloads the session after a sign-in, then opens the requested page, else the overview. */
export function useCompleteSignIn(): () => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  const { to = "/" } = useSearch({ strict: false });
  return async () => {
    await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await router.navigate({ href: to, replace: true });
  };
}
