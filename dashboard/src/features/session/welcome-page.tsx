import { Code, List } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { LinkAnswer } from "../../../../src/http/admin/contract/session.ts";
import { ApiError, post } from "../../api/client.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { ButtonLink } from "../../shared/links.tsx";
import { FormSkeleton } from "../../shared/skeletons.tsx";
import { FrontDoor } from "./front-door.tsx";
import { WelcomeForm } from "./welcome-form.tsx";

/** Where a one-time link leads. Its token is after `#`: no server on the way, and no log, has ever seen it. */
export function WelcomePage(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash });
  const [isReset, setReset] = useState(false);
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: ({ signal }) => post<LinkAnswer>("/welcome/link", { body: { token }, signal }),
    enabled: token !== "" && !isReset,
    staleTime: Number.POSITIVE_INFINITY,
  });

  if (isReset) return <ResetDone />;
  if (token === "" || (link.error instanceof ApiError && link.error.status === 404)) return <BadLink />;
  const { title, description } = TEXTS[link.data?.purpose ?? "none"];
  return (
    <FrontDoor title={title} description={description}>
      <ErrorNote error={link.error} onRetry={() => void link.refetch()} />
      {link.isPending && <FormSkeleton fields={2} />}
      {link.data && <WelcomeForm token={token} link={link.data} onReset={() => setReset(true)} />}
    </FrontDoor>
  );
}

const TEXTS = {
  none: { title: "Welcome", description: "Looking at your link…" },
  "set-up": {
    title: "Set up Rostrum",
    description: "You are the first one here: this makes you the owner, who may do everything and invites the others.",
  },
  invitation: { title: "Welcome to Rostrum", description: "You were invited. Choose a password, and you are in." },
  reset: {
    title: "Choose a new password",
    description: "It ends all of your sessions, on every device. Then sign in with it.",
  },
} as const satisfies Record<LinkAnswer["purpose"] | "none", { title: string; description: string }>;

function ResetDone(): ReactNode {
  return (
    <FrontDoor title="Your password is changed" description="You are signed out everywhere.">
      <ButtonLink to="/sign-in" size="md" fullWidth>
        Sign in
      </ButtonLink>
    </FrontDoor>
  );
}

function BadLink(): ReactNode {
  return (
    <FrontDoor
      title="This link is not good any more"
      description="A link works once, and only for a while. Perhaps it was used already, or not copied whole."
    >
      <List size="sm" spacing="sm">
        <List.Item>Have you chosen a password before? Then sign in with it.</List.Item>
        <List.Item>You were invited: ask the person who invited you for a new link.</List.Item>
        <List.Item>
          You run this service: start it again for a new link of the first owner, or run{" "}
          <Code>rostrum user reset-password</Code> with your e-mail address.
        </List.Item>
      </List>
      <ButtonLink to="/sign-in" size="md" fullWidth variant="default">
        Sign in
      </ButtonLink>
    </FrontDoor>
  );
}
