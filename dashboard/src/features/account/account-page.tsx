import { Card, Divider, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Page } from "../../shared/page.tsx";
import { useSession } from "../../shared/session.tsx";
import classes from "./account-page.module.css";
import { PasskeySection } from "./passkey-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SessionSection } from "./session-section.tsx";
import { TotpSection } from "./totp-section.tsx";

export function AccountPage(): ReactNode {
  const { account } = useSession();
  return (
    <Page title="Your account" width="narrow" description="Your sign-in and security, across all websites.">
      <Card className={classes.card}>
        <dl className={classes.facts}>
          <div>
            <dt>E-mail address</dt>
            <dd>{account.email}</dd>
          </div>
          <div>
            <dt>Name</dt>
            <dd>{account.name === "" ? <Text c="dimmed">None</Text> : account.name}</dd>
          </div>
        </dl>
        <Divider />
        <PasswordSection />
        <Divider />
        <TotpSection />
        <Divider />
        <PasskeySection />
        <Divider />
        <SessionSection />
      </Card>
    </Page>
  );
}
