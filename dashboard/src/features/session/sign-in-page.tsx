import { type ReactNode, useState } from "react";
import { AuthLayout } from "./auth-layout.tsx";
import { type Credentials, PasswordStep } from "./password-step.tsx";
import { SecondStep } from "./second-step.tsx";

export function SignInPage(): ReactNode {
  const [awaitingCode, setAwaitingCode] = useState<Credentials | null>(null);
  if (awaitingCode !== null) {
    return (
      <AuthLayout title="Enter your code" description={<>For {awaitingCode.email}.</>}>
        <SecondStep credentials={awaitingCode} onBack={() => setAwaitingCode(null)} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title="Sign in" foot="Forgot your password? Ask your administrator for a reset link.">
      <PasswordStep onNeedsCode={setAwaitingCode} />
    </AuthLayout>
  );
}
