import { rostrumLoader } from "@rostrum/astro";
import { defineCollection } from "astro:content";
import { connection } from "./lib/rostrum.js";

export const collections = { blog: defineCollection({ loader: rostrumLoader(connection) }) };
