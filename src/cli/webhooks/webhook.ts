import { type Command, subcommands } from "../command.ts";
import { deliveries, redeliver, replay, testCommand } from "./deliveries.ts";
import { create, deleteCommand, enable, list, pause, rotate, update } from "./endpoints.ts";
import { listen } from "./listen.ts";

export const webhook: Command = {
  summary: "manage webhooks, their deliveries and replays",
  ...subcommands("webhook", {
    create,
    list,
    update,
    test: testCommand,
    pause,
    enable,
    rotate,
    delete: deleteCommand,
    deliveries,
    redeliver,
    replay,
    listen,
  }),
};
