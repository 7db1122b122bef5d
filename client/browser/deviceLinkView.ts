import { type QrOptions, qrSvg } from './qr.ts';

/** Resolves with a fresh link, or with null when the session is over and there are no more. */
export type LinkSource = (signal: AbortSignal) => Promise<string | null>;

/** What {@link showDeviceLink} shows, and where. */
export interface DeviceLinkViewOptions extends QrOptions {
  /** Where the QR code goes: any element of the page. */
  readonly element: { innerHTML: string };
  /** Where fresh links come from; see {@link linkSource}. */
  readonly source: LinkSource;
  /** Pause between two links, ms; default 1000. A signed QR link is fresh for 20 seconds. */
  readonly intervalMs?: number;
  /** Told of each link shown. */
  readonly onLink?: (link: string) => void;
  /** Told of each failure; the next link is tried all the same. */
  readonly onError?: (error: unknown) => void;
}

/** A QR code that is kept fresh. */
export interface DeviceLinkView {
  /** Takes the code away and asks for no more links. */
  stop(): void;
  /** Resolves when it was stopped or the session is over. */
  readonly ended: Promise<void>;
}

/** Pause after a failure at most, ms: within the time a link stays fresh. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Shows a device link as a QR code and replaces it as fresh ones come, until there are none or it is stopped. Links are
 * signed by the server, which has the session's secret; the browser is only told the finished link.
 */
export function showDeviceLink(options: DeviceLinkViewOptions): DeviceLinkView {
  const { element, source, intervalMs = 1000, onLink, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopped = () => signal.aborted;
  let shown: string | null = null;

  function show(link: string): void {
    if (link === shown) return;
    element.innerHTML = qrSvg(link, options);
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
    // Once stopped, the element may already show something else.
    if (!isStopped()) element.innerHTML = '';
  }

  function stop(): void {
    stopping.abort();
    element.innerHTML = '';
  }

  return { stop, ended: run() };
}

/**
 * Fresh links from the relying party's own backend: `GET url` with the page's cookies answers `{"link": "…"}`, or 404 or 410
 * when the session is over.
 *
 * @param fetchImpl default: the page's `fetch`
 */
export function linkSource(url: string, fetchImpl: typeof fetch = fetch): LinkSource {
  return async (signal) => {
    const response = await fetchImpl(url, {
      ...{ signal, credentials: 'same-origin', cache: 'no-store' },
      headers: { accept: 'application/json' },
    });
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
