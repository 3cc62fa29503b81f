/** The tables of docs/scale.md, as Markdown. The same figures give the same text. */
import { thousands } from "../../../bench/report.ts";
import { ASSUMPTIONS, type Constants, type EngineCosts } from "./constants.ts";
import { install, limits, type Load, shareOfBusiest } from "./demand.ts";
import { hourOfOutage } from "./outage.ts";
import { catchUp, simulateWaits } from "./waits.ts";

export const INTERNET: Load = {
  websites: 1_000_000,
  articlesPerWebsite: 200,
  publications: 100_000,
  saves: 20_000,
  webhooksPerWebsite: 1,
  reads: 10_000_000,
  cdnHitRatio: ASSUMPTIONS.cdnHitRatio,
};

const SIZES: readonly [name: string, load: Load][] = [
  ["a blog", sized(1, 500, 0.01, 5)],
  ["an agency", sized(50, 300, 0.1, 50)],
  ["5,000 websites", sized(5_000, 200, 0.8, 300)],
  ["a publisher", sized(200, 50_000, 5, 3_000)],
  ["a platform", sized(100_000, 200, 100, 20_000)],
  ["a large platform", sized(1_000_000, 200, 2_000, 500_000)],
  ["the internet's", INTERNET],
];

const UTILISATIONS = [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
const OUTAGE_RATES = [0.01, 0.1, 1, 5];
const OUTAGE_RECEIVERS = 8;

export function renderAll(constants: Constants): Record<string, string> {
  return {
    costs: renderCosts(constants),
    units: renderUnits(constants),
    sizes: renderSizes(
      SIZES.map(([name, load]) => ({ name, load })),
      constants,
    ),
    limits: renderLimits(INTERNET, constants),
    skew: renderSkew(constants),
    waits: renderWaits(constants),
    outage: renderOutage(),
  };
}

function renderCosts({ sqlite, postgres, readFromMemory }: Constants): string {
  const row = (what: string, pick: (costs: EngineCosts) => { process: number; database: number; logKb?: number }) => {
    const [one, other] = [pick(sqlite), pick(postgres)];
    return [what, ms(one.process), ms(other.process), ms(other.database), other.logKb?.toFixed(1) ?? "in these"];
  };
  return table(
    ["Operation", "SQLite: process ms", "PostgreSQL: process ms", "its server ms", "log kB"],
    [
      ["read from memory", ms(readFromMemory), ms(readFromMemory), "0", "0"],
      row("read that is not", (costs) => costs.read),
      row("create", (costs) => costs.create),
      row("publish", (costs) => costs.publish),
      row("save", (costs) => costs.save),
      row("deliver", (costs) => costs.delivery),
    ],
  );
}

/** What each unit carries of one thing alone, at the assumed utilisation. */
function renderUnits({ sqlite, postgres, readFromMemory, claimed }: Constants): string {
  const { utilisation, databaseCores } = ASSUMPTIONS;
  const perCore = (milliseconds: number) => thousands((1_000 * utilisation) / milliseconds);
  const server = (milliseconds: number) => thousands((databaseCores * 1_000 * utilisation) / milliseconds);
  return table(
    ["Alone, a second", "One process, SQLite", "Each process on PostgreSQL", `Its server, ${databaseCores} cores`],
    [
      ["reads from memory", perCore(readFromMemory), perCore(readFromMemory), "not asked"],
      [
        "reads that are not",
        perCore(sqlite.read.process),
        perCore(postgres.read.process),
        server(postgres.read.database),
      ],
      [
        "publications",
        perCore(sqlite.publish.process),
        perCore(postgres.publish.process),
        server(postgres.publish.database),
      ],
      ["saves", perCore(sqlite.save.process), perCore(postgres.save.process), server(postgres.save.database)],
      [
        "deliveries",
        perCore(sqlite.delivery.process),
        thousands(Math.min((1_000 * utilisation) / postgres.delivery.process, claimed * utilisation)),
        server(postgres.delivery.database),
      ],
    ],
  );
}

export function renderSizes(sizes: readonly { name: string; load: Load }[], constants: Constants): string {
  return table(
    [
      "Load",
      "websites",
      "articles",
      "reads/s, at the service",
      "publications/s",
      "deliveries/s",
      "Run",
      "processes",
      "database cores",
      "memory GB",
      "articles GB",
      "GB a day",
    ],
    sizes.map(({ name, load }) => {
      const { kind, processes, databases, coresPerDatabase, demand: needed } = install(load, constants);
      return [
        name,
        thousands(load.websites),
        thousands(load.websites * load.articlesPerWebsite),
        `${thousands(load.reads)}, ${thousands(needed.originReads)}`,
        number(load.publications),
        number(needed.deliveries),
        databases > 1 ? `${kind}: ${databases} servers` : kind,
        thousands(processes),
        databases === 0 ? "" : databases === 1 ? String(coresPerDatabase) : `${databases} × ${coresPerDatabase}`,
        number((processes * constants.processMb) / 1_024),
        number(needed.articlesGb),
        number(needed.growthGbPerDay),
      ];
    }),
  );
}

export function renderLimits(load: Load, constants: Constants): string {
  return table(
    ["What ends first", "publications/s", "What then"],
    limits(load, constants).map(({ what, publications, next }) => [what, thousands(publications), next]),
  );
}

/** How many websites publish more than one website can, by the number of publications over all. */
function renderSkew(constants: Constants): string {
  const perWebsite = 1_000 / constants.publishOfOneWebsite;
  const rows = [10_000, 100_000, 1_000_000].flatMap((websites) =>
    [1_000, 10_000, 100_000].map((publications) => {
      const busiest = publications * shareOfBusiest(websites);
      const tooBusy = Math.floor((busiest / perWebsite) ** (1 / ASSUMPTIONS.skew));
      return [thousands(websites), thousands(publications), thousands(busiest), thousands(tooBusy)];
    }),
  );
  return table(
    ["websites", "publications/s", "of the busiest website", `websites above ${thousands(perWebsite)}/s`],
    rows,
  );
}

function renderWaits({ postgres }: Constants): string {
  const service = postgres.delivery.process;
  const rows = UTILISATIONS.map((utilisation) => {
    const { p50, p99 } = simulateWaits(service, utilisation);
    const rate = thousands((1_000 * utilisation) / service);
    return [
      `${Math.round(utilisation * 100)} %`,
      rate,
      `${p50.toFixed(2)} ms`,
      `${p99.toFixed(2)} ms`,
      minutes(catchUp(60, utilisation)),
    ];
  });
  return table(
    ["Use of the thread", "deliveries/s", "wait p50", "wait p99", "after an hour's stop, all is sent after"],
    rows,
  );
}

function renderOutage(): string {
  const rows = OUTAGE_RATES.map((perSecond) => {
    const { events, attempts, waiting, before, during } = hourOfOutage(perSecond, OUTAGE_RECEIVERS);
    return [
      String(perSecond),
      (attempts / events).toFixed(2),
      (before / OUTAGE_RECEIVERS).toFixed(3),
      (during / OUTAGE_RECEIVERS).toFixed(3),
      thousands(waiting / OUTAGE_RECEIVERS),
    ];
  });
  return table(
    ["events/s of a receiver", "attempts an event", "attempts/s before", "attempts/s meanwhile", "waiting as it ends"],
    rows,
  );
}

function sized(websites: number, articlesPerWebsite: number, publications: number, reads: number): Load {
  return {
    websites,
    articlesPerWebsite,
    publications,
    saves: publications * 2,
    webhooksPerWebsite: 2,
    reads,
    cdnHitRatio: websites >= 100_000 ? ASSUMPTIONS.cdnHitRatio : 0,
  };
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function ms(value: number): string {
  return value.toFixed(3);
}

function number(value: number): string {
  return value >= 10 ? thousands(value) : String(Number(value.toPrecision(2)));
}

function minutes(value: number): string {
  return value < 120 ? `${Math.ceil(value)} min` : `${(value / 60).toFixed(1)} h`;
}
