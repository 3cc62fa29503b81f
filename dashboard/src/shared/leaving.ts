interface Place {
  pathname: string;
  search: object;
}

/** Whether a navigation leaves what is on the page: for another page, another website, but not for signing in again. */
export function isLeaving(current: Place, next: Place): boolean {
  // Without a session the user cannot stay.
  if (next.pathname === "/sign-in") return false;
  return next.pathname !== current.pathname || readWebsite(next) !== readWebsite(current);
}

function readWebsite({ search }: Place): unknown {
  return "website" in search ? search.website : undefined;
}
