/** The editor's dialogs: for a link's address, or source. */
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { cleanAddress } from "../document/addresses.ts";

export type Question =
  | { kind: "link"; href: string; isLinked: boolean }
  | { kind: "island"; source: string }
  | { kind: "markdown" };

export interface Answers {
  link: (href: string | null) => void;
  source: (source: string) => void;
}

const TITLES = { link: "Link", island: "Edit source", markdown: "Paste as Markdown" };

export function QuestionDialog(props: { question: Question | null; answers: Answers; onClose: () => void }): ReactNode {
  const { question, answers, onClose } = props;
  // Keeps the content while the dialog fades out.
  const [last, setLast] = useState(question);
  if (question !== null && question !== last) setLast(question);
  return (
    <Modal
      opened={question !== null}
      onClose={onClose}
      title={last === null ? "" : TITLES[last.kind]}
      returnFocus={false}
    >
      {last !== null && <Form key={JSON.stringify(last)} question={last} answers={answers} onClose={onClose} />}
    </Modal>
  );
}

function Form({
  question,
  answers,
  onClose,
}: {
  question: Question;
  answers: Answers;
  onClose: () => void;
}): ReactNode {
  const [address, setAddress] = useState(question.kind === "link" ? question.href : "");
  const [source, setSource] = useState(question.kind === "island" ? question.source : "");
  const [isTried, setTried] = useState(false);
  const isAddress = question.kind === "link";
  const error = isTried && isAddress && address.trim() === "" ? "An address is needed." : null;

  function submit(event: FormEvent): void {
    event.preventDefault();
    // In React's tree, the dialog is inside the article's form.
    event.stopPropagation();
    setTried(true);
    if (isAddress && address.trim() === "") return;
    if (question.kind === "link") answers.link(cleanAddress(address));
    else answers.source(source);
    onClose();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isAddress && (
          <TextInput
            data-autofocus
            label="Address"
            placeholder="https://"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            error={error}
          />
        )}
        {!isAddress && (
          <Textarea
            data-autofocus
            label={question.kind === "island" ? "Source" : "Markdown"}
            autosize
            minRows={6}
            maxRows={18}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          {question.kind === "link" && question.isLinked && (
            <Button
              variant="default"
              onClick={() => {
                answers.link(null);
                onClose();
              }}
            >
              Remove link
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">{question.kind === "island" ? "Apply" : "Insert"}</Button>
        </Group>
      </Stack>
    </form>
  );
}
