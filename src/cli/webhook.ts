import { type Command, subcommands } from "./command.ts";
import { deliveries, redeliver, replay, testCommand } from "./webhook/deliveries.ts";
import { create, deleteCommand, enable, list, pause, rotate, update } from "./webhook/endpoints.ts";
import { listen } from "./webhook/listen.ts";

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
