import { Alert, Button, Card, Group, Progress, Radio, Stack, Switch, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { buildUrl } from "../../api/client.ts";
import { type Confirmation, useConfirm } from "../../shared/confirm.tsx";
import { focusWhenShown } from "../../shared/focus-when-shown.ts";
import { ButtonLink } from "../../shared/links.tsx";
import { NoAccess } from "../../shared/no-access.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { type CurrentWebsite, useWebsite } from "../../shared/session.tsx";
import { DropZone } from "./drop-zone.tsx";
import type { Drop, NamedFile } from "./dropped-files.ts";
import { ImportResults } from "./import-results.tsx";
import { type ImportControls, type ImportSettings, useImport } from "./import-run.ts";

export function ImportPage(): ReactNode {
  const website = useWebsite();
  if (!website.can("articles.import")) return <NoAccess title="Import" needs="editor" />;
  return (
    <Page
      title="Import"
      width="narrow"
      description="Import articles from files. Importing the same files again changes nothing, and a file with errors does not stop the others."
    >
      <Importing key={website.id} website={website} />
      <Section
        title="Export"
        description="All articles of this website, as NDJSON for Rostrum, or as a file for WordPress or Ghost."
        actions={
          <Group gap="xs">
            <Button component="a" variant="default" href={buildUrl("/exports", { website_id: website.id })} download>
              Download
            </Button>
            {(["wordpress", "ghost"] as const).map((format) => (
              <Button
                key={format}
                component="a"
                variant="subtle"
                href={buildUrl("/exports", { website_id: website.id, format })}
                download
              >
                {format === "ghost" ? "For Ghost" : "For WordPress"}
              </Button>
            ))}
          </Group>
        }
      >
        {null}
      </Section>
    </Page>
  );
}

type Settings = Omit<ImportSettings, "websiteId" | "dryRun">;

function Importing({ website }: { website: CurrentWebsite }): ReactNode {
  const [drop, setDrop] = useState<Drop | null>(null);
  const files = drop?.files ?? [];
  const unreadable = drop?.unreadable ?? [];
  const [settings, setSettings] = useState<Settings>({
    status: website.can("articles.publish") ? null : "pending",
    events: false,
    acceptLoss: false,
    overwrite: false,
    copyImages: false,
  });
  const run = useImport();
  const confirm = useConfirm();
  const { phase } = run.state;
  const isRunning = phase === "running" || phase === "stopping";
  useLeavingGuard(isRunning, run);

  const start = (dryRun: boolean) => void run.start(files, { ...settings, websiteId: website.id, dryRun });
  /** Asks first if the import can change what readers get; what editors import changes nothing that is live. */
  async function importAll(): Promise<void> {
    if (!website.can("articles.approve") || (await confirm(importQuestion(files.length, settings)))) start(false);
  }
  return (
    <Stack gap="lg">
      {isRunning && <Running run={run} />}
      {(phase === "done" || phase === "stopped") && <Done run={run} />}
      <DropZone
        disabled={isRunning}
        onFiles={(chosen) => {
          run.reset();
          setDrop(chosen);
        }}
      />
      {unreadable.length > 0 && <Unreadable names={unreadable} hasOthers={files.length > 0} />}
      {drop !== null && files.length + unreadable.length === 0 && (
        <Alert role="alert" color="amber" title="No files found">
          What you dropped contains no files. Drop files, or the folder that contains them.
        </Alert>
      )}
      {files.length > 0 && (
        <>
          <ImportSettingsForm website={website} settings={settings} onChange={setSettings} disabled={isRunning} />
          <Group justify="space-between" gap="sm">
            <Text size="sm">{describe(files)}</Text>
            <Group gap="xs">
              <Button variant="default" disabled={isRunning} onClick={() => start(true)}>
                Preview import
              </Button>
              <Button disabled={isRunning} onClick={() => void importAll()}>
                Import
              </Button>
            </Group>
          </Group>
        </>
      )}
      {run.state.items.length > 0 && <ImportResults state={run.state} />}
    </Stack>
  );
}

function importQuestion(files: number, { status, events }: Settings): Confirmation {
  const published =
    status === null
      ? "Articles that the files mark as published go live at once. "
      : status === "published"
        ? "All of these articles go live at once. "
        : "";
  return {
    title: files === 1 ? "Import 1 file?" : `Import ${files.toLocaleString("en")} files?`,
    body: `${published}Changes to published articles go live at once, too. Your webhooks receive ${
      events ? "article.published and article.updated" : "nothing"
    }.`,
    confirmLabel: "Import",
    danger: false,
  };
}

function ImportSettingsForm(props: {
  website: CurrentWebsite;
  settings: Settings;
  onChange: (settings: Settings) => void;
  disabled: boolean;
}): ReactNode {
  const { website, settings, onChange, disabled } = props;
  const mayPublish = website.can("articles.publish");
  const choices = [
    { value: "", label: "As in the files", isShown: mayPublish },
    { value: "draft", label: "Drafts", isShown: true },
    { value: "pending", label: "To review", isShown: true },
    { value: "approved", label: "Approved", isShown: website.can("articles.approve") },
    { value: "published", label: "Published", isShown: mayPublish },
  ] as const;
  return (
    <Card padding="md">
      <Stack gap="md">
        <Radio.Group
          label="Status of the imported articles"
          value={settings.status ?? ""}
          onChange={(value) =>
            onChange({ ...settings, status: choices.find((one) => one.value === value)?.value || null })
          }
        >
          <Group gap="lg" mt="xs">
            {choices
              .filter(({ isShown }) => isShown)
              .map(({ value, label }) => (
                <Radio key={value} value={value} label={label} disabled={disabled} />
              ))}
          </Group>
        </Radio.Group>
        <Switch
          label="Send webhooks"
          description="Off: your webhooks receive nothing. On: they receive one event for each article that is published or changed."
          checked={settings.events}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange({ ...settings, events: currentTarget.checked })}
        />
        <Switch
          label="Publish articles that lost text"
          description="Off: articles that lost more than a tenth of their words, or show markup of their source, wait for review, with the reason."
          checked={settings.acceptLoss}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange({ ...settings, acceptLoss: currentTarget.checked })}
        />
        <Switch
          label="Overwrite"
          description="Off: if an article was changed here since its last import, the changes in the file are held for you to compare. On: the file replaces the article, and publishes it again if it was unpublished here."
          checked={settings.overwrite}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange({ ...settings, overwrite: currentTarget.checked })}
        />
        <Switch
          label="Copy pictures"
          description="Off: pictures stay on the websites they are on. On: each is copied to Pictures, and the articles show the copy. Pictures that cannot be copied stay where they are; import the same files again to retry."
          checked={settings.copyImages}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange({ ...settings, copyImages: currentTarget.checked })}
        />
      </Stack>
    </Card>
  );
}

function Running({ run }: { run: ImportControls }): ReactNode {
  const { progress, current, phase } = run.state;
  const isStopping = phase === "stopping";
  return (
    <Card padding="md">
      <Group justify="space-between" wrap="nowrap" gap="sm" mb="xs">
        <Text size="sm" truncate>
          {isStopping ? "Stopping once the current articles are saved…" : current}
        </Text>
        <Button ref={focusWhenShown} size="xs" variant="default" disabled={isStopping} onClick={() => run.stop()}>
          Stop
        </Button>
      </Group>
      <Progress value={progress * 100} aria-label="Progress of the import" />
    </Card>
  );
}

function Done({ run }: { run: ImportControls }): ReactNode {
  const { dryRun, phase, isCutOff, notStarted, counts } = run.state;
  const { created, updated, held, unchanged, failed, skipped, copied, not_copied: notCopied } = counts;
  const numbers = `${created.toLocaleString("en")} new, ${updated.toLocaleString("en")} changed, ${unchanged.toLocaleString("en")} unchanged${held === 0 ? "" : `, ${held.toLocaleString("en")} held`}, ${failed.toLocaleString("en")} failed${skipped === 0 ? "" : `, ${skipped.toLocaleString("en")} skipped`}`;
  const pictures = `${copied.toLocaleString("en")} ${copied === 1 ? "picture" : "pictures"} copied, ${notCopied.toLocaleString("en")} not copied.`;
  const saved = phase === "stopped" && !dryRun ? `${describeSaved(created + updated)} before it stopped: ` : "";
  const hasNone = created + updated + held + unchanged === 0;
  const title = dryRun
    ? "This would be imported"
    : phase === "stopped"
      ? "Stopped"
      : hasNone
        ? "Nothing was imported"
        : "Imported";
  return (
    <Alert
      ref={focusWhenShown}
      tabIndex={-1}
      role="status"
      color={failed + notCopied > 0 || phase === "stopped" ? "amber" : "pine"}
      title={title}
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm" c="inherit">
            {`${saved}${numbers}.${dryRun ? " Nothing was saved." : ""}${copied + notCopied > 0 ? ` ${pictures}` : ""}`}
          </Text>
          {notStarted > 0 && (
            <Text size="sm" c="inherit">
              {`${notStarted === 1 ? "1 file was" : `${notStarted.toLocaleString("en")} files were`} not started. Import the same files again to continue.`}
            </Text>
          )}
          {isCutOff && !dryRun && (
            <Text size="sm" c="inherit">
              A few more articles of the current file may have been imported. Import the same files again to continue.
            </Text>
          )}
        </div>
        {!dryRun && created + updated > 0 && (
          <ButtonLink to="/articles" size="xs" variant="default">
            Show the articles
          </ButtonLink>
        )}
      </Group>
    </Alert>
  );
}

function describeSaved(count: number): string {
  if (count === 0) return "No article was saved";
  return count === 1 ? "1 article was saved" : `${count.toLocaleString("en")} articles were saved`;
}

/** Leaving the page stops the import, so the user is asked first. */
function useLeavingGuard(isRunning: boolean, run: ImportControls): void {
  const confirm = useConfirm();
  useBlocker({
    disabled: !isRunning,
    enableBeforeUnload: isRunning,
    shouldBlockFn: async () => {
      const isLeaving = await confirm({
        title: "Stop the import?",
        body: "The import runs only while this page is open. What has been imported stays. Import the same files again to continue.",
        confirmLabel: "Stop and leave",
      });
      if (isLeaving) run.stop();
      return !isLeaving;
    },
  });
}

const MAX_NAMES = 5;

function Unreadable({ names, hasOthers }: { names: readonly string[]; hasOthers: boolean }): ReactNode {
  const more = names.length - MAX_NAMES;
  const shown = [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more.toLocaleString("en")} more`] : [])];
  return (
    <Alert role="alert" color="amber" title="Not everything can be read">
      {`Your browser may not read ${new Intl.ListFormat("en").format(shown)}. `}
      {hasOthers ? "Everything else can be imported." : "Change the permissions, then drop it again."}
    </Alert>
  );
}

function describe(files: readonly NamedFile[]): string {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  return files.length === 1 ? `${files[0]?.name}, ${size}` : `${files.length.toLocaleString("en")} files, ${size}`;
}
