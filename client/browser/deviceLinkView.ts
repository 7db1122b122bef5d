import { type QrOptions, qrSvg } from './qr.ts';

/** Resolves with a fresh link, or with null when the session is over. */
export type LinkSource = (signal: AbortSignal) => Promise<string | null>;

/** Options of {@link showDeviceLink}. */
export interface DeviceLinkViewOptions extends QrOptions {
  /** Element of the page that receives the QR code. */
  readonly element: { innerHTML: string };
  /** Source of fresh links; see {@link linkSource}. */
  readonly source: LinkSource;
  /** Pause between two links, ms; default 1000. A signed QR link is fresh for 20 seconds. */
  readonly intervalMs?: number;
  /** Called with each link shown. */
  readonly onLink?: (link: string) => void;
  /** Called with each failure; the next link is requested all the same. */
  readonly onError?: (error: unknown) => void;
}

/** A QR code that is replaced as fresh links come. */
export interface DeviceLinkView {
  /** Removes the QR code and requests no more links. */
  stop(): void;
  /** Resolves when the view was stopped or the session is over. */
  readonly ended: Promise<void>;
}

interface MarkupPolicy {
  createHTML(markup: string): unknown;
}

interface PolicyFactory {
  createPolicy(name: string, rules: MarkupPolicy): MarkupPolicy;
}

let policy: MarkupPolicy | undefined;

/** Markup of this library, for pages that demand Trusted Types: they admit its policy by `trusted-types tamga`. */
function trusted(markup: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy('tamga', { createHTML: (text) => text });
  return (policy?.createHTML(markup) ?? markup) as string;
}

/** Longest pause after a failure, ms: within the lifetime of a link. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Shows a device link as a QR code and replaces it with each fresh link until the session is over
 * or the view is stopped. The server, which has the session's secret, signs the links; the browser
 * receives only the finished link.
 */
export function showDeviceLink(options: DeviceLinkViewOptions): DeviceLinkView {
  const { element, source, intervalMs = 1000, onLink, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopped = () => signal.aborted;
  let shown: string | null = null;

  function show(link: string): void {
    if (link === shown) return;
    element.innerHTML = trusted(qrSvg(link, options));
    shown = link;
    onLink?.(link);
  }

  async function run(): Promise<void> {
    for (let failures = 0; !isStopped();) {
      try {
        const link = await source(signal);
        if (link === null || isStopped()) break;
        show(link);
        failures = 0;
      } catch (error) {
        if (isStopped()) break;
        failures += 1;
        onError?.(error);
      }
      await pause(Math.min(intervalMs * 2 ** failures, LONGEST_PAUSE_MS), signal);
    }
    // After stop() the page may have put something else into the element.
    if (!isStopped()) element.innerHTML = trusted('');
  }

  function stop(): void {
    stopping.abort();
    element.innerHTML = trusted('');
  }

  return { stop, ended: run() };
}

/**
 * Requests fresh links from the relying party's own backend: `GET url` with the page's cookies
 * answers `{"link": "…"}`, or 404 or 410 when the session is over.
 *
 * @param fetchImpl default: the page's `fetch`
 */
export function linkSource(url: string, fetchImpl: typeof fetch = fetch): LinkSource {
  return async (signal) => {
    const request = {
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { accept: 'application/json' },
    } as const;
    const response = await fetchImpl(url, request);
    if (response.status === 404 || response.status === 410) return null;
    const body: unknown = response.ok ? await response.json() : null;
    if (
      typeof body === 'object' &&
      body !== null &&
      'link' in body &&
      typeof body.link === 'string'
    )
      return body.link;
    throw new Error(`No link: the answer was ${response.status}.`);
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resume();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
