import { Button, Group, Text } from "@mantine/core";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { ErrorNote } from "../shared/error-note.tsx";
import { ButtonLink } from "../shared/links.tsx";
import { Page } from "../shared/page.tsx";

/** In the words of the browsers: the file of a page is not there any more. */
const OUTDATED = /dynamically imported module|module script failed|preload CSS/i;

/** Instead of a page that broke. A new version of the service has other files: then only loading anew helps. */
export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  useEffect(() => queries.reset(), [queries]);
  const isOutdated = error instanceof Error && OUTDATED.test(error.message);

  function tryAgain(): void {
    if (isOutdated) {
      window.location.reload();
      return;
    }
    reset();
    void router.invalidate();
  }

  return (
    <Page title="This page could not be shown" tabTitle="Error" width="narrow">
      {isOutdated ? (
        <Text>There is a newer version of the dashboard. Load the page again to get it.</Text>
      ) : (
        <ErrorNote error={error} />
      )}
      <Group>
        <ButtonLink variant="default" to="/">
          Go to the overview
        </ButtonLink>
        <Button onClick={tryAgain}>{isOutdated ? "Load the page again" : "Try again"}</Button>
      </Group>
    </Page>
  );
}
