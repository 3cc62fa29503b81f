import { Button, Group, Text } from "@mantine/core";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { SERVICE_BACK } from "../api/service-events.ts";
import { ErrorNote } from "../shared/error-note.tsx";
import { PartNotLoadedError } from "../shared/lazy-part.tsx";
import { ButtonLink } from "../shared/links.tsx";
import { Page } from "../shared/page.tsx";
import { checkBuild, reloadOnce } from "./newer-build.ts";

/** Shown in place of a page that threw an error. */
export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  useEffect(() => queries.reset(), [queries]);

  function showAgain(): void {
    reset();
    void router.invalidate();
  }

  if (error instanceof PartNotLoadedError) return <NotLoaded error={error} onLoaded={showAgain} />;
  return (
    <Page title="This page could not be shown" tabTitle="Error" width="narrow">
      <ErrorNote error={error} />
      <Ways>
        <Button onClick={showAgain}>Try again</Button>
      </Ways>
    </Page>
  );
}

/**
 * Shown when the page's file was not loaded. The document is reloaded automatically only if the service responds with a newer
 * build; in an outage, a reload would end at the browser's error page.
 */
function NotLoaded({ error, onLoaded }: { error: PartNotLoadedError; onLoaded: () => void }): ReactNode {
  const [build, setBuild] = useState<Awaited<ReturnType<typeof checkBuild>>>("same");
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    async function reloadIfNewer(): Promise<void> {
      const found = await checkBuild();
      if (found !== "newer" || !reloadOnce()) setBuild(found);
    }
    void reloadIfNewer();
  }, []);

  async function tryAgain(byHand: boolean): Promise<void> {
    setBusy(true);
    const found = await checkBuild();
    setBuild(found);
    if (found === "newer") {
      if (byHand) window.location.reload();
      else reloadOnce();
    } else if (await error.retry()) {
      onLoaded();
    } else if (byHand && found === "same") {
      // Browsers cache a failed module import until the document is reloaded; the service is up, so a reload is safe.
      window.location.reload();
    }
    setBusy(false);
  }

  const onBack = useEffectEvent(() => void tryAgain(false));
  useEffect(() => {
    const listen = () => onBack();
    window.addEventListener(SERVICE_BACK, listen);
    return () => window.removeEventListener(SERVICE_BACK, listen);
  }, []);

  return (
    <Page title="This page could not be loaded" tabTitle="Error" width="narrow">
      <Text>{SENTENCES[build]}</Text>
      <Ways>
        <Button onClick={() => void tryAgain(true)} loading={isBusy}>
          Try again
        </Button>
      </Ways>
    </Page>
  );
}

const SENTENCES = {
  away: "The service cannot be reached. Try again once it answers.",
  same: "Part of it did not load. Try again. If it happens again, tell your administrator.",
  newer: "The dashboard has been updated. Try again to load the new version.",
} as const;

function Ways({ children }: { children: ReactNode }): ReactNode {
  return (
    <Group>
      <ButtonLink variant="default" to="/">
        Go to the overview
      </ButtonLink>
      {children}
    </Group>
  );
}
