import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ForgottenAnswer } from "../../../../src/http/admin/contract/session.ts";
import { get } from "../../api/client.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { ForgottenStep } from "./forgotten-step.tsx";
import { type Credentials, PasswordStep } from "./password-step.tsx";
import { SecondStep } from "./second-step.tsx";
import { useCompleteSignIn } from "./use-complete-sign-in.ts";

export function SignInPage(): ReactNode {
  const enter = useCompleteSignIn();
  const [awaitingCode, setAwaitingCode] = useState<Credentials | null>(null);
  const [hasForgotten, setForgotten] = useState(false);
  if (hasForgotten) return <ForgottenStep onBack={() => setForgotten(false)} />;
  if (awaitingCode !== null) {
    return (
      <AuthLayout title="Enter your code" description={<>For {awaitingCode.email}.</>}>
        <SecondStep credentials={awaitingCode} onBack={() => setAwaitingCode(null)} enter={enter} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title="Sign in" foot={<Forgotten onForgotten={() => setForgotten(true)} />}>
      <PasswordStep onNeedsCode={setAwaitingCode} enter={enter} />
    </AuthLayout>
  );
}

/** If the service sends no e-mails, an owner has to create the link. */
function Forgotten({ onForgotten }: { onForgotten: () => void }): ReactNode {
  const { data } = useQuery({
    queryKey: ["forgotten-password"],
    queryFn: ({ signal }) => get<ForgottenAnswer>("/forgotten-password", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data?.mailed !== true) return "Forgot your password? Ask your administrator for a reset link.";
  return (
    <Anchor component="button" type="button" size="sm" onClick={onForgotten}>
      Forgot your password?
    </Anchor>
  );
}
