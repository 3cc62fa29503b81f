import { type Static, Type } from "typebox";
import { ACTIVITIES } from "../../../domain/people/presence.ts";
import { oneOf, strictObject } from "../../contract/schema-helpers.ts";
import { person } from "./articles.ts";

const activity = oneOf(ACTIVITIES, {});

export const presenceInput = strictObject({ activity });

export const presentPeople = Type.Object({
  people: Type.Array(Type.Object({ ...person.properties, activity }), {
    description: "Who has the article open now, without the user; those who edit come first.",
  }),
});
export type PresentPeople = Static<typeof presentPeople>;
