import { Divider } from "@mantine/core";
import type { ReactNode } from "react";
import { Page } from "../../shared/page.tsx";
import { useSession } from "../../shared/session.tsx";
import { EmailSection } from "./email-section.tsx";
import { NameForm } from "./name-form.tsx";
import { NotificationSection } from "./notification-section.tsx";
import { PasskeySection } from "./passkey-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SessionSection } from "./session-section.tsx";
import { TotpSection } from "./totp-section.tsx";

export function AccountPage(): ReactNode {
  const { account } = useSession();
  return (
    <Page title="Your account" width="narrow" description="Your sign-in and security, across all websites.">
      <NameForm key={account.name} name={account.name} />
      <Divider />
      <EmailSection />
      <Divider />
      <PasswordSection />
      <Divider />
      <TotpSection />
      <Divider />
      <PasskeySection />
      <Divider />
      <SessionSection />
      <Divider />
      <NotificationSection />
    </Page>
  );
}
