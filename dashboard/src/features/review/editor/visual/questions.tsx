/** The editor's dialogs: for a link's address, or source. */
import { Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { LinkForm } from "./nodes/link-form.tsx";

export type Question =
  /** `href`: of the link that is changed; null for a new one. */
  { kind: "link"; href: string | null } | { kind: "island"; source: string } | { kind: "markdown" };

export interface Answers {
  /** `text`: what a link says if nothing is selected. */
  link: (href: string, text: string) => void;
  unlink: () => void;
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
      {last?.kind === "link" && (
        <LinkForm
          key={JSON.stringify(last)}
          href={last.href}
          onLink={answers.link}
          onRemove={answers.unlink}
          onClose={onClose}
        />
      )}
      {last !== null && last.kind !== "link" && (
        <SourceForm key={JSON.stringify(last)} question={last} answers={answers} onClose={onClose} />
      )}
    </Modal>
  );
}

function SourceForm({
  question,
  answers,
  onClose,
}: {
  question: Exclude<Question, { kind: "link" }>;
  answers: Answers;
  onClose: () => void;
}): ReactNode {
  const [source, setSource] = useState(question.kind === "island" ? question.source : "");

  function submit(event: FormEvent): void {
    event.preventDefault();
    // In React's tree, the dialog is inside the article's form.
    event.stopPropagation();
    answers.source(source);
    onClose();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
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
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">{question.kind === "island" ? "Apply" : "Insert"}</Button>
        </Group>
      </Stack>
    </form>
  );
}
