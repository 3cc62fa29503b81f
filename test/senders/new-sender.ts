import { randomBytes } from "node:crypto";
import type { Sender } from "../../src/domain/articles/senders/sender.ts";
import { insertSender } from "../../src/store/articles/senders/senders.ts";
import type { TestService } from "../helpers/service.ts";

export interface NewSender {
  sender: Sender;
  secret: string;
  /** `/senders/ID` */
  path: string;
}

export async function newSender(
  { app, website }: Pick<TestService, "app"> & { website: { id: string } },
  given: Partial<Sender> & { secret?: string } = {},
): Promise<NewSender> {
  const { secret = randomBytes(16).toString("hex"), ...fields } = given;
  const id = randomBytes(16).toString("hex");
  const sender: Sender = {
    id,
    websiteId: website.id,
    kind: "generic",
    name: "A sender",
    mapping: null,
    secret: app.secrets().seal(secret, id),
    previousSecret: null,
    previousUntil: null,
    createdAt: app.clock(),
    lastArrivalAt: null,
    deletedAt: null,
    ...fields,
  };
  await app.store.write((db) => insertSender(db, sender));
  return { sender, secret, path: `/senders/${id}` };
}
