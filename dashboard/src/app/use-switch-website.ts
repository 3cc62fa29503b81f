import { useMatches, useNavigate } from "@tanstack/react-router";

/** Goes to the same page of another website; from something that only this one has, to the list that it is in. */
export function useSwitchWebsite(): (id: string) => void {
  const navigate = useNavigate();
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? "/" });
  return (id) => {
    const [page = ""] = path.split("/$");
    const isCreating = page === "/websites/new";
    void navigate({ to: page === "" || isCreating ? "/" : page, search: { website: id } });
  };
}
