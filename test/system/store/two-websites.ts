import type { Writer } from "../../../src/store/store.ts";
import { insertWebsite } from "../../../src/store/system/websites.ts";

/** Inserts the websites `one` and `two`. */
export async function insertTwoWebsites(db: Writer): Promise<void> {
  for (const id of ["one", "two"]) {
    await insertWebsite(db, {
      id,
      name: id,
      url: null,
      urlPattern: null,
      previewUrl: null,
      assetUrl: null,
      language: null,
      timeZone: "UTC",
      requiresSecondFactor: false,
      requiresSecondPerson: false,
      integrityGate: "machine",
      seriesLabels: [],
      responsibleName: null,
      responsibleUrl: null,
      namesReviewers: false,
      publishDelaySeconds: 10,
      servesFeeds: false,
      indexNowKey: null,
      slugsPerLanguage: false,
      urlChangedAt: 0,
      createdAt: 0,
      epoch: "e",
      contentVersion: 1,
      eventSequence: 0,
    });
  }
}
