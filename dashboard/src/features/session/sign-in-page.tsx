import { Code } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { FrontDoor } from "./front-door.tsx";
import { PasswordStep } from "./password-step.tsx";
import { SecondStep } from "./second-step.tsx";

/** What was typed in the first step; the second sends it again, with the code. */
export interface Credentials {
  email: string;
  password: string;
}

export function SignInPage(): ReactNode {
  const [awaitingCode, setAwaitingCode] = useState<Credentials | null>(null);
  if (awaitingCode !== null) {
    return (
      <FrontDoor title="Enter your code" description={<>For {awaitingCode.email}.</>}>
        <SecondStep credentials={awaitingCode} onBack={() => setAwaitingCode(null)} />
      </FrontDoor>
    );
  }
  return (
    <FrontDoor
      title="Sign in"
      foot={
        <>
          Forgotten your password? Whoever runs this service makes a link for a new one:{" "}
          <Code>rostrum user reset-password</Code>
        </>
      }
    >
      <PasswordStep onNeedsCode={setAwaitingCode} />
    </FrontDoor>
  );
}
