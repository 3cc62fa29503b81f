import { Alert, Button, Fieldset, Group, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { ArrivalKind } from "../../../../src/domain/articles/senders/dialect.ts";
import type { ArrivalDetail, Sender } from "../../../../src/http/admin/contract/senders.ts";
import { ErrorNote } from "../../shared/error-note.tsx";
import { MessageView } from "../../shared/message-view.tsx";
import { UnsavedFormGuard } from "../../shared/unsaved-form-guard.tsx";
import { toast } from "../../shared/toasts.ts";
import { describeRuns } from "./arrival-log.tsx";
import { JsonTree } from "./json-tree.tsx";
import classes from "./mapping-editor.module.css";
import { MAPPED_FIELDS, type MappingForm, toForm, toMapping } from "./mapping-form.ts";
import { findArticlesPlace, formatPath, type Path, shortenPlace, toArticlesPlace, toFieldPlace } from "./places.ts";
import { changeSender, runAllAgain, trySample } from "./requests.ts";
import { SampleView } from "./sample.tsx";
import { FIELD_LABELS } from "./words.ts";

type Form = UseFormReturnType<MappingForm>;
/** The input that a picked value goes to: its path in the form. */
type Target = "eventAt" | "articles" | "id" | `fields.${(typeof MAPPED_FIELDS)[number]}`;

const KINDS: readonly { value: ArrivalKind; label: string }[] = [
  { value: "article", label: "An article, new or changed" },
  { value: "removal", label: "An article is to be deleted" },
  { value: "test", label: "A test" },
  { value: "other", label: "Nothing to save" },
];

const ARTICLES_LABEL = "Place of the articles";
const EVENT_LABEL = "Place of the event";

const TEXTS = [
  { value: "", label: "What it looks like" },
  { value: "html", label: "Always HTML" },
  { value: "markdown", label: "Always Markdown" },
];

/** `arrival`: shown beside the form; null: nothing has arrived yet. */
export function MappingEditor({ sender, arrival }: { sender: Sender; arrival: ArrivalDetail | null }): ReactNode {
  const form = useForm<MappingForm>({ initialValues: toForm(sender.mapping) });
  const [target, setTarget] = useState<Target>("fields.title");
  const [note, setNote] = useState<string | null>(null);
  const body = useMemo(() => parseJson(arrival?.body ?? null), [arrival]);
  const found = arrival?.places[0]?.fields ?? [];
  const foundAt = findArticlesPlace(found);

  function pick(path: Path, value: unknown): void {
    setNote(null);
    if (target === "articles") return form.setFieldValue("articles", toArticlesPlace(body, path));
    if (target === "eventAt") {
      form.setFieldValue("eventAt", formatPath(path));
      const event = String(value);
      const isKnown = form.values.means.some((one) => one.value === event);
      if (!isKnown) form.insertListItem("means", { value: event, kind: "article" });
      return undefined;
    }
    let { articles } = form.values;
    if (articles === "") articles = foundAt ?? toArticlesPlace(body, path.slice(0, -1));
    const place = toFieldPlace(path, articles);
    if (place === undefined)
      return setNote(`${formatPath(path)} is not within the articles, which are at ${articles}.`);
    form.setFieldValue("articles", articles);
    form.setFieldValue(target, place);
    return undefined;
  }

  const input = (name: Target, isFoundAt?: string) => ({
    ...form.getInputProps(name),
    onFocus: () => setTarget(name),
    placeholder: isFoundAt === undefined ? "found automatically" : `found at ${isFoundAt}`,
    "data-target": name === target || undefined,
    classNames: { input: classes.place },
    autoComplete: "off",
    spellCheck: false,
  });
  const placeOf = (field: string) => {
    const place = found.find((one) => one.field === field)?.place;
    return place === undefined ? undefined : shortenPlace(place, foundAt);
  };
  return (
    <div className={classes.columns}>
      <UnsavedFormGuard isDirty={() => form.isDirty()} />
      <Stack gap="lg" className={classes.form}>
        <Fieldset legend="Fields">
          <div className={classes.fields}>
            <TextInput
              className={classes.whole}
              label={ARTICLES_LABEL}
              description="For example, data.articles[] for each item of a list, or $ for the whole body. The fields below are relative to it."
              {...input("articles", foundAt)}
            />
            <TextInput
              label={FIELD_LABELS.id}
              description="Must be the same when an article is sent again."
              {...input("id", placeOf("id"))}
            />
            <Select
              label="How the text is written"
              description="For texts whose field does not say it."
              data={TEXTS}
              allowDeselect={false}
              {...form.getInputProps("text")}
            />
            {MAPPED_FIELDS.map((field) => (
              <TextInput key={field} label={FIELD_LABELS[field]} {...input(`fields.${field}`, placeOf(field))} />
            ))}
          </div>
        </Fieldset>
        <Events form={form} place={input("eventAt")} />
      </Stack>
      <div className={classes.beside}>
        {arrival !== null && (
          <div className={classes.body}>
            <Text size="sm" mb="xs" role="status">
              {body === undefined
                ? "The body is not JSON. Type the places."
                : `Click a value to use it as: ${labelOf(target)}.`}
            </Text>
            {note !== null && (
              <Alert color="amber" mb="xs" role="alert">
                {note}
              </Alert>
            )}
            {body === undefined ? (
              <MessageView payload={arrival.body ?? ""} title="Body" label="the body" />
            ) : (
              <JsonTree value={body} onPick={pick} />
            )}
          </div>
        )}
        <div className={classes.actions}>
          <Actions sender={sender} arrival={arrival} form={form} />
        </div>
      </div>
    </div>
  );
}

function Events({ form, place }: { form: Form; place: object }): ReactNode {
  return (
    <Fieldset legend="Events">
      <Stack gap="sm">
        <TextInput
          label={EVENT_LABEL}
          description="Where a request names its event: a place in the body, or header:Name. Leave it empty if every request brings articles."
          {...place}
        />
        {form.values.means.map((_, at) => (
          // Rows have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={at} gap="xs" align="flex-end">
            <TextInput className={classes.event} label="Event" {...form.getInputProps(`means.${at}.value`)} />
            <Select
              className={classes.event}
              label="Means"
              data={KINDS}
              allowDeselect={false}
              {...form.getInputProps(`means.${at}.kind`)}
            />
            <Button
              variant="default"
              aria-label={`Remove the event ${form.values.means[at]?.value ?? ""}`}
              onClick={() => form.removeListItem("means", at)}
            >
              Remove
            </Button>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => form.insertListItem("means", { value: "", kind: "article" })}
        >
          Add an event
        </Button>
        <Text size="xs" c="dimmed">
          Other events are answered, but nothing is saved.
        </Text>
        <Textarea
          label="It is a test if"
          description="One rule per line: test=true (has this value), id^=test- (begins with it), slug! (is missing)."
          autosize
          minRows={1}
          classNames={{ input: classes.place }}
          {...form.getInputProps("test")}
        />
      </Stack>
    </Fieldset>
  );
}

function Actions({ sender, arrival, form }: { sender: Sender; arrival: ArrivalDetail | null; form: Form }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const trying = useMutation({
    mutationFn: () =>
      trySample(sender.id, { arrival_id: arrival?.arrival.id ?? null, mapping: toMapping(form.values) }),
  });
  const saving = useMutation({
    mutationFn: async (runsAgain: boolean) => {
      await changeSender(sender.id, { mapping: toMapping(form.values) });
      return runsAgain ? runAllAgain(sender.id) : null;
    },
    onSuccess: async (ran) => {
      form.resetDirty();
      toast(ran === null ? "The mapping is saved." : describeRuns(ran));
      await navigate({ to: "/settings/senders/$id", params: { id: sender.id } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["senders", sender.website_id] }),
  });
  const isEmpty = toMapping(form.values) === null;
  return (
    <Stack gap="md">
      <Group gap="sm">
        {arrival !== null && (
          <Button variant="default" loading={trying.isPending} onClick={() => trying.mutate()}>
            Try
          </Button>
        )}
        <Button
          variant={sender.needs_attention > 0 ? "default" : "filled"}
          loading={saving.isPending && !saving.variables}
          disabled={saving.isPending}
          onClick={() => saving.mutate(false)}
        >
          Save
        </Button>
        {sender.needs_attention > 0 && (
          <Button
            loading={saving.isPending && saving.variables}
            disabled={saving.isPending}
            onClick={() => saving.mutate(true)}
          >
            Save and run again
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {arrival !== null && "“Try” shows what the arrival would become and saves nothing. "}
        {sender.needs_attention > 0 && "“Save and run again” also reruns all arrivals that need attention. "}
        {sender.mapping !== null && isEmpty && "Saving an empty form removes the mapping."}
      </Text>
      <div aria-live="polite">
        <ErrorNote error={saving.error ?? trying.error} />
        {trying.data !== undefined && <SampleView result={trying.data} onlyStored />}
      </div>
    </Stack>
  );
}

function labelOf(target: Target): string {
  if (target === "articles") return ARTICLES_LABEL;
  if (target === "eventAt") return EVENT_LABEL;
  if (target === "id") return FIELD_LABELS.id;
  return FIELD_LABELS[target.slice("fields.".length) as (typeof MAPPED_FIELDS)[number]];
}

/** @returns undefined if it is no JSON. */
function parseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
