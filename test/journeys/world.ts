/** The demonstration's website in full use, with content on every page. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { CLI_ACTOR } from "../../src/cli/command.ts";
import { externalSource } from "../../src/domain/articles/origin.ts";
import type { Article, ArticleInput, ArticleStatus } from "../../src/domain/articles/article.ts";
import { CLI_ORIGIN } from "../../src/domain/system/audit.ts";
import { createToken, findMachine, revokeToken } from "../../src/operations/people/access-tokens.ts";
import { createKey, revokeKey } from "../../src/operations/people/api-keys.ts";
import {
  deleteArticle,
  listArticles,
  publishArticle,
  scheduleArticle,
  unpublishArticle,
  updateArticle,
} from "../../src/operations/articles/write/articles.ts";
import { addAsset } from "../../src/operations/articles/assets/assets.ts";
import { createSender } from "../../src/operations/articles/senders/senders.ts";
import { importArticles } from "../../src/operations/articles/import/imports.ts";
import { upsertArticle } from "../../src/operations/articles/import/upserts.ts";
import { requestRemoval } from "../../src/operations/articles/review/removal-requests.ts";
import { saveDraftCopy } from "../../src/operations/articles/write/draft-copies.ts";
import { createEndpoint, pauseEndpoint } from "../../src/operations/webhooks/endpoints.ts";
import { addMember } from "../../src/operations/people/members.ts";
import { saveDeadLetter } from "../../src/store/system/dead-letters.ts";
import { tempFolder } from "../helpers/folder.ts";
import { record, records } from "../helpers/http.ts";
import { MailServer } from "../helpers/mail-server.ts";
import { png } from "../helpers/pictures.ts";
import { until } from "../helpers/until.ts";
import { FAILS, LOOPBACK, ScriptedReceiver } from "../helpers/webhooks.ts";
import { type Browser as Person, PASSWORD } from "../people/dashboard.ts";
import { type Journey, startJourney } from "./browser.ts";

export interface World extends AsyncDisposable {
  journey: Journey;
  /** May do everything. */
  owner: Person;
  /** Token of an invitation link. */
  invitation: string;
  /** Address of a review link, for somebody without an account. */
  reviewLink: string;
  /**
   * Ids of one article of each kind; `edited`: published, with a draft copy; `held`: with held changes of a source; `asked`:
   * a machine asks to publish it, and to delete it.
   */
  articles: Record<"pending" | "approved" | "scheduled" | "published" | "edited" | "held" | "asked", string>;
  /** Ids of a webhook whose deliveries arrive, one whose deliveries fail, and a paused one. */
  webhooks: Record<"healthy" | "failing" | "paused", string>;
  /** Ids of a sender whose arrivals are stored, one whose fields are not found, and one that has sent nothing. */
  senders: Record<"working" | "odd" | "fresh", string>;
}

const DAY = 86_400_000;

export async function startWorld(): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const healthy = opened.use(await ScriptedReceiver.start());
  const failing = opened.use(await ScriptedReceiver.start(FAILS));
  const mails = opened.use(await MailServer.start());
  const journey = opened.use(await startJourney({ ...LOOPBACK, SMTP_URL: mails.url }));
  const { app } = journey.service;
  const websiteId = journey.website.id;
  const owner = await journey.people.owner();
  const { invitation, editor } = await inviteTeam(journey);

  const paused = await createEndpoint(
    app,
    websiteId,
    { url: `${healthy.url}/search-index`, events: ["article.deleted"] },
    CLI_ORIGIN,
  );
  await pauseEndpoint(app, paused.endpoint.id, CLI_ORIGIN);
  const webhooks = {
    healthy: (await createEndpoint(app, websiteId, { url: healthy.url }, CLI_ORIGIN)).endpoint.id,
    failing: (await createEndpoint(app, websiteId, { url: failing.url, payload: "thin" }, CLI_ORIGIN)).endpoint.id,
    paused: paused.endpoint.id,
  };

  const senders = await connectSenders(journey);
  const { shared, ...articles } = await moveArticles(journey);
  const link = await owner.json("POST", `/articles/${shared}/review-links`, { label: "Maria Sandoval", days: 7 }, 201);
  await setAside(journey, articles.scheduled);
  await comment(articles.pending, owner, editor);
  await uploadPictures(journey);
  const { assets } = await owner.json("GET", `/assets?website_id=${websiteId}`);
  const picture = records(assets).find(({ name }) => name === "tea-house.png");
  await updateArticle(app, articles.pending, { featuredImageUrl: String(picture?.["url"]) }, CLI_ACTOR);
  await makeKeys(journey);
  for (const _ of Array.from({ length: 12 })) await journey.service.list();
  // The events of publishing, unpublishing, changing and deleting.
  await healthy.arrival(4);
  await failing.arrival(1);
  await until("both outcomes are on the overview", async () => {
    const { deliveries, warnings } = await owner.json("GET", `/overview?website_id=${websiteId}`);
    const delivered = records(deliveries).reduce((sum, hour) => sum + Number(hour["delivered"]), 0);
    return delivered >= 4 && records(warnings).length > 0;
  });
  const owned = opened.move();
  return {
    journey,
    owner,
    invitation,
    reviewLink: String(link["token"]),
    articles,
    webhooks,
    senders,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const TEAM = [
  { name: "Amina Diallo", email: "amina.diallo@example.com", role: "approver" },
  { name: "Jonas Weber", email: "jonas.weber@example.com", role: "editor" },
  { name: "Sofía Romero", email: "sofia.romero@example.com", role: "viewer" },
] as const;
const GUEST = { name: "Noor Haddad", email: "noor.haddad@example.com", role: "editor" } as const;

/** @returns the token of an invitation that is not accepted yet, and the editor's browser. */
async function inviteTeam({
  people,
  service: { app },
  website,
}: Journey): Promise<{ invitation: string; editor: Person }> {
  let editor: Person | undefined;
  for (const one of TEAM) {
    const { token } = await addMember(app, { ...one, websiteId: website.id }, CLI_ORIGIN);
    const person = people.browser();
    await person.json("POST", "/welcome", { token, password: PASSWORD });
    await person.signIn(one.email);
    if (one.role === "editor") editor = person;
  }
  const { token } = await addMember(app, { ...GUEST, websiteId: website.id }, CLI_ORIGIN);
  if (token === null) throw new Error("an account that nobody has set up was taken for one");
  if (editor === undefined) throw new Error("the team has no editor");
  return { invitation: token, editor };
}

/** The editor mentions the owner, who answers. */
async function comment(articleId: string, owner: Person, editor: Person): Promise<void> {
  const { account } = await owner.json("GET", "/session");
  const path = `/articles/${articleId}/comments`;
  const text = `<@${String(record(account)["id"])}> Is the figure for white tea right?`;
  const { threads } = await editor.json("POST", path, { text, passage: null }, 201);
  const [thread = {}] = records(threads);
  await owner.json("POST", `${path}/${String(thread["id"])}/replies`, { text: "I will ask the tea house." }, 201);
  await editor.json("POST", path, { text: `${text.slice(0, text.indexOf(" "))} And the source?`, passage: null }, 201);
}

async function connectSenders({ service, website }: Journey): Promise<World["senders"]> {
  const connect = async (kind: string, name: string) => {
    const { secret, sender } = await createSender(service.app, website.id, { kind, name, secret: null }, CLI_ORIGIN);
    const send = async (body: object) => {
      const headers = { "X-API-Key": undefined, "Content-Type": "application/json", Authorization: `Bearer ${secret}` };
      await service.send(`/senders/${sender.id}`, { method: "POST", headers, body: JSON.stringify(body) });
    };
    return { id: sender.id, send };
  };
  const working = await connect("outrank", "Outrank");
  const article = { id: "311", title: "Matcha for beginners", slug: "matcha-for-beginners", tags: ["tea"] };
  const content_html = "<p>Whisk it with water that has stopped boiling.</p><h2>How much</h2><p>Two grams.</p>";
  await working.send({ event_type: "publish_articles", data: { articles: [{ ...article, content_html }] } });
  await working.send({ event_type: "test", data: {} });
  const odd = await connect("generic", "Newsroom script");
  await odd.send({
    kind: "story",
    blob: {
      ref: "a-7",
      kopf: "White tea keeps for years",
      rumpf: "<p>Dry, dark and cool.</p>",
      labels: ["white", "tea"],
    },
  });
  const fresh = await connect("wordpress", "Surfer");
  return { working: working.id, odd: odd.id, fresh: fresh.id };
}

async function uploadPictures({ service: { app }, website }: Journey): Promise<void> {
  await using folder = await tempFolder();
  const pictures = [
    { name: "red-kettle.png", alt: "A red kettle on a gas flame", bytes: png(640, 400, 180) },
    { name: "tea-house.png", alt: "", bytes: png(320, 480, 90) },
  ];
  for (const { name, alt, bytes } of pictures) {
    const path = folder.at(name);
    await writeFile(path, bytes);
    await addAsset(app, website.id, { path, name, alt }, CLI_ORIGIN);
  }
}

/** @returns ids; `shared`: another pending article. */
async function moveArticles({ service: { app }, website }: Journey): Promise<World["articles"] & { shared: string }> {
  const [pending, shared] = await articlesOf("pending");
  const [approved, scheduled] = await articlesOf("approved");
  const [published, edited, withdrawn, trashed] = await articlesOf("published");
  if (!pending || !shared || !approved || !scheduled || !published || !edited || !withdrawn || !trashed) {
    throw new Error("the demonstration has too few articles");
  }
  await scheduleArticle(app, scheduled.id, app.clock() + 2 * DAY, CLI_ACTOR);
  await unpublishArticle(app, withdrawn.id, CLI_ACTOR);
  await publishArticle(app, withdrawn.id, CLI_ACTOR);
  await updateArticle(app, published.id, { tags: ["tea", "guides"] }, CLI_ACTOR);
  await saveDraftCopy(app, edited.id, { title: `${edited.title} (second edition)` }, CLI_ACTOR);
  await deleteArticle(app, trashed.id, CLI_ACTOR);
  return {
    pending: pending.id,
    shared: shared.id,
    approved: approved.id,
    scheduled: scheduled.id,
    published: published.id,
    edited: edited.id,
    held: await holdChanges(app, website.id),
    asked: await askForDecisions(app, website.id),
  };

  function articlesOf(status: ArticleStatus): Promise<Article[]> {
    return Array.fromAsync(listArticles(app, website.id, status));
  }
}

/** An article whose source changed the text that was corrected here. */
async function holdChanges(app: Journey["service"]["app"], websiteId: string): Promise<string> {
  const ref = "markdown:oolong.md";
  const bring = (input: ArticleInput) =>
    importArticles(app, websiteId, Readable.from([{ kind: "draft", source: "oolong.md", ref, input }]), {
      events: false,
      dryRun: false,
      actor: { ...CLI_ACTOR, id: "import" },
    });
  const article = { title: "Oolong", status: "published", tags: ["tea"] } satisfies ArticleInput;
  await bring({ ...article, markdown: "Half oxidised, and roasted over charcoal." });
  const published = await Array.fromAsync(listArticles(app, websiteId, "published"));
  const { id = "" } = published.find(({ title }) => title === article.title) ?? {};
  const corrected = { markdown: "Partly oxidised, and roasted over charcoal.", tags: ["tea", "oolong"] };
  await updateArticle(app, id, corrected, CLI_ACTOR);
  await bring({ ...article, tags: ["tea", "china"], markdown: "Half oxidised, and roasted in ovens today." });
  return id;
}

/** An article that a machine brings as published, and then asks to delete. */
async function askForDecisions(app: Journey["service"]["app"], websiteId: string): Promise<string> {
  const token = { name: "Tea bot", scope: "draft", expiresAt: null } as const;
  const made = await createToken(app, websiteId, token, CLI_ORIGIN);
  const actor = { id: made.token.id, mayApprove: false, isMachine: true } as const;
  const input = { title: "Bancha", status: "published", markdown: "The tea of the last harvest of the year." } as const;
  const { full } = await upsertArticle(app, websiteId, { source: externalSource("bancha"), input }, { actor });
  await requestRemoval(app, full.article.id, "Its file was deleted from the repository.", actor);
  return full.article.id;
}

/** Dead letters: an article, which can be tried again, and a delivery that is gone, which can be discarded. */
async function setAside({ service: { app }, website }: Journey, articleId: string): Promise<void> {
  const letter = { websiteId: website.id, reason: "database disk image is malformed" };
  await app.store.write(async (db) => {
    await saveDeadLetter(db, { ...letter, kind: "article", subjectId: articleId }, app.clock());
    await saveDeadLetter(db, { ...letter, kind: "delivery", subjectId: randomUUID() }, app.clock());
  });
}

async function makeKeys({ service: { app }, website }: Journey): Promise<void> {
  const common = { scope: "published", expiresAt: null, rateLimit: null } as const;
  await createKey(app, website.id, { ...common, name: "Website, production" }, CLI_ORIGIN);
  const soon = { ...common, name: "Preview deployments", expiresAt: app.clock() + 20 * DAY };
  await createKey(app, website.id, soon, CLI_ORIGIN);
  const { key } = await createKey(app, website.id, { ...common, name: "Old shop" }, CLI_ORIGIN);
  await revokeKey(app, key.id, CLI_ORIGIN);
  const token = { scope: "draft", expiresAt: null } as const;
  const { secret } = await createToken(app, website.id, { ...token, name: "Article generator" }, CLI_ORIGIN);
  await findMachine(app, secret);
  await createToken(app, website.id, { ...token, name: "Nightly export", scope: "read" }, CLI_ORIGIN);
  const { token: old } = await createToken(app, website.id, { ...token, name: "Trial", scope: "publish" }, CLI_ORIGIN);
  await revokeToken(app, old.id, CLI_ORIGIN);
}
