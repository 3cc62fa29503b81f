import { type ReactNode, useEffect, useRef } from "react";
import { useAnnounce } from "../../../shared/announce.tsx";
import { type Activity, type PresentPerson, usePresence } from "./use-presence.ts";
import classes from "./presence-line.module.css";

interface PresenceLineProps {
  websiteId: string;
  articleId: string;
  /** What the user does on this page. */
  activity: Activity;
}

/** “Ed is editing · Ann is reading”; nothing while the user is alone. */
export function PresenceLine({ websiteId, articleId, activity }: PresenceLineProps): ReactNode {
  const people = usePresence(websiteId, articleId, activity);
  const editing = describe(people, "editing");
  const reading = describe(people, "reading");
  const announce = useAnnounce();
  const announced = useRef("");
  useEffect(() => {
    // Only who edits is announced: readers come and go.
    if (editing !== "" && editing !== announced.current) announce(`${editing}.`);
    announced.current = editing;
  }, [editing, announce]);
  if (people.length === 0) return null;
  return (
    <span className={classes.root}>
      {editing !== "" && <span className={classes.editing}>{editing}</span>}
      {reading !== "" && <span>{reading}</span>}
    </span>
  );
}

/** Names that fit in a line. */
const MAX_NAMES = 3;

function describe(people: readonly PresentPerson[], activity: Activity): string {
  const names = people.filter((one) => one.activity === activity).map(({ name }) => name);
  if (names.length === 0) return "";
  const more = names.length - MAX_NAMES;
  const shown = more > 0 ? [...names.slice(0, MAX_NAMES), more === 1 ? "1 more" : `${more} more`] : names;
  return `${LIST.format(shown)} ${names.length === 1 ? "is" : "are"} ${activity}`;
}

const LIST = new Intl.ListFormat("en");
