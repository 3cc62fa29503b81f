import { randomBytes } from "node:crypto";
import type { Sender } from "../../src/domain/articles/senders/sender.ts";
import { insertSender } from "../../src/store/articles/senders/senders.ts";
import { listArrivals } from "../../src/store/articles/senders/arrivals.ts";
import type { TestService } from "../helpers/service.ts";
import { until } from "../helpers/until.ts";

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

/** Has the service read an arrival: the first one waits for processes to start, and is then answered before it is read. */
export async function warmUp(service: TestService): Promise<void> {
  const { sender, secret, path } = await newSender(service);
  const headers = { "X-API-Key": undefined, Authorization: `Bearer ${secret}` };
  await service.send(path, {
    method: "POST",
    headers,
    body: '{"id": "1", "title": "First", "content": "<p>One.</p>"}',
  });
  const find = () =>
    service.app.store.read((db) => listArrivals(db, sender.id, { state: "stored", before: null, limit: 1 }));
  await until("the first arrival is read", async () => (await find()).length === 1, 60_000);
}
