/** Parts of the script that are loaded when they are first shown. A failure is told in their place, and can be retried. */
import { Component, type FunctionComponent, createElement, type ReactNode, Suspense, use } from "react";
import { ErrorNote } from "./error-note.tsx";
import { ExplainedError } from "./explained-error.ts";

/** A file of the dashboard did not arrive: the service is away, or it is newer and has other files. */
export class PartNotLoadedError extends ExplainedError {
  /** Asks for the file again. @returns whether it has arrived. */
  readonly retry: () => Promise<boolean>;

  constructor(retry: () => Promise<boolean>, cause: unknown) {
    super(
      "A part of this page could not be loaded. Try again once the service can be reached; if that does not help, save your work and reload the page.",
    );
    this.cause = cause;
    this.retry = retry;
  }
}

type LazyComponent<Props> = FunctionComponent<Props> & { preload: () => Promise<void> };

/**
 * As React's `lazy`, but a failure is not kept for ever, and it never reloads the document, as the router's own does.
 * The component throws `PartNotLoadedError` when its file did not arrive.
 */
export function lazyComponent<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, FunctionComponent<Props>>>,
  name: Name,
): LazyComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  let failure: PartNotLoadedError | undefined;
  let loading: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    try {
      loaded = (await load())[name];
      failure = undefined;
    } catch (error) {
      failure = new PartNotLoadedError(retry, error);
    } finally {
      loading = undefined;
    }
  }

  const ensure = () => (loading ??= attempt());

  async function retry(): Promise<boolean> {
    await ensure();
    return loaded !== undefined;
  }

  function Lazy(props: Props): ReactNode {
    if (loaded === undefined && failure === undefined) use(ensure());
    if (loaded === undefined) throw failure;
    return createElement(loaded, props);
  }

  const preload = async () => {
    if (loaded !== undefined) return;
    await ensure();
    // Nobody has been shown anything yet: whoever goes there asks again.
    failure = undefined;
  };
  return Object.assign(Lazy, { preload });
}

interface LazyPartProps {
  /** Shown until the part is there. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Around a lazy component that is only a part of a page: its failure leaves the rest of the page as it is. */
export class LazyPart extends Component<LazyPartProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return <Suspense fallback={this.props.fallback}>{this.props.children}</Suspense>;
    if (!(error instanceof PartNotLoadedError)) throw error;
    return <ErrorNote error={error} onRetry={() => void this.#retry(error)} />;
  }

  async #retry(error: PartNotLoadedError): Promise<void> {
    if (await error.retry()) this.setState({ error: null });
  }
}
