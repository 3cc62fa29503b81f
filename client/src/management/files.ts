/** Files of a repository, as `rostrum push` sends them. */
import { flags } from "./articles.ts";
import { type CallOptions, ManagementError, type ManagementTransport } from "./transport.ts";
import type { FileComparison, PushItem, PushRemoval } from "./types.generated.ts";

export interface ListedFile {
  /** Within the folder, with `/`. */
  path: string;
  /** Of the file, and of what else its article depends on. null: the file is there, and nothing is asked of it. */
  hash: string | null;
}

export interface SendFilesOptions extends CallOptions {
  /** Says what would be done, and saves nothing. */
  dryRun?: boolean | undefined;
}

type Answer = PushItem | PushRemoval | { kind: "progress" | "summary" } | { kind: "error"; message: string };

export class ManagedFiles {
  readonly #transport: ManagementTransport;

  constructor(transport: ManagementTransport) {
    this.#transport = transport;
  }

  /** Which of all files are to be sent, and which that your token listed before are gone. */
  readonly compare = (files: readonly ListedFile[], options: CallOptions = {}): Promise<FileComparison> =>
    this.#transport.json({ method: "POST", path: "/articles/batch/files", body: { files }, ...options });

  /** Yields what became of each file of an archive. @throws ManagementError, with the status 0 if it broke off: send it again. */
  readonly send = (
    archive: Blob,
    options: SendFilesOptions = {},
  ): AsyncGenerator<PushItem | PushRemoval, void, undefined> => this.#send(archive, options);

  async *#send(
    archive: Blob,
    { dryRun, signal }: SendFilesOptions,
  ): AsyncGenerator<PushItem | PushRemoval, void, undefined> {
    const content = { type: "application/x-tar", bytes: archive };
    const path = `/articles/batch${flags({ dryRun })}`;
    const answers = this.#transport.lines({ method: "POST", path, content, signal });
    for await (const answer of answers as AsyncGenerator<Answer>) {
      if (answer.kind === "error") throw new ManagementError(0, answer.message);
      if (answer.kind === "summary") return;
      if (answer.kind === "item" || answer.kind === "removal") yield answer;
    }
    throw new ManagementError(0, "The answer ended before all files were answered.");
  }
}
