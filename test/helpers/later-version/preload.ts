/** Gives this process's program the migrations of a version to come. */
import { type Migration, MIGRATIONS } from "../../../src/store/migrations.ts";
import { ALL_MIGRATIONS } from "./migrations.ts";

// It is immutable for the compiler alone.
(MIGRATIONS as Migration[]).splice(0, MIGRATIONS.length, ...ALL_MIGRATIONS);
