/** Names of actors that are not people, by their ID. */
const NAMES: Readonly<Record<string, string>> = {
  cli: "CLI",
  schedule: "Scheduler",
  import: "An import",
  rostrum: "Rostrum",
};

/** @param name of a person. */
export function nameActor(id: string, name: string): string {
  return Object.hasOwn(NAMES, id) ? (NAMES[id] ?? name) : name;
}
