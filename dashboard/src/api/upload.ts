/** Sends a file with progress, which `fetch` cannot report. */
import { buildUrl, type RequestOptions, sendSignedIn, toApiError } from "./client.ts";
import { SERVICE_SILENT } from "./service-events.ts";

interface SendFileOptions {
  query: RequestOptions["query"];
  signal: AbortSignal;
  /** Called with the part that was sent, from 0 to 1. */
  onProgress: (part: number) => void;
}

/** @throws ApiError; an `AbortError` if it was cancelled. */
export function sendFile<T>(path: string, file: Blob, options: SendFileOptions): Promise<T> {
  return sendSignedIn(() => sendOnce<T>(path, file, options));
}

function sendOnce<T>(path: string, file: Blob, { query, signal, onProgress }: SendFileOptions): Promise<T> {
  globalThis.rostrumFirst = undefined;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    request.addEventListener("abort", () => reject(new DOMException("Cancelled.", "AbortError")));
    request.addEventListener("error", () => {
      window.dispatchEvent(new Event(SERVICE_SILENT));
      reject(toApiError(null));
    });
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener("load", () => {
      const { status, responseText: text } = request;
      if (status >= 502 && status <= 504) window.dispatchEvent(new Event(SERVICE_SILENT));
      if (status !== 200) {
        reject(toApiError({ status, retryAfter: request.getResponseHeader("Retry-After") }, text));
        return;
      }
      try {
        resolve(JSON.parse(text) as T);
      } catch {
        reject(toApiError(null));
      }
    });
    request.open("POST", buildUrl(path, query));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    if (signal.aborted) reject(new DOMException("Cancelled.", "AbortError"));
    else request.send(file);
  });
}
