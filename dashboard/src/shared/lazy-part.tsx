/** Loads parts of the script when they are first shown. A failure is shown in their place and can be retried. */
import { Component, type FunctionComponent, createElement, type ReactNode, Suspense, use } from "react";
import { ErrorNote } from "./error-note.tsx";
import { ExplainedError } from "./explained-error.ts";

/** A file of the dashboard could not be loaded: the service is away, or it was upgraded and has other files. */
export class PartNotLoadedError extends ExplainedError {
  /** Requests the file again. @returns whether it was loaded. */
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
 * Like React's `lazy`, but a failure is not permanent, and unlike the router's version it never reloads the document. The
 * component throws `PartNotLoadedError` if its file could not be loaded.
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
    // Preload failures are not shown: the next navigation tries again.
    failure = undefined;
  };
  return Object.assign(Lazy, { preload });
}

interface LazyPartProps {
  /** Shown until the part is loaded. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Wraps a lazy component that is only part of a page: its failure leaves the rest of the page as it is. */
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
