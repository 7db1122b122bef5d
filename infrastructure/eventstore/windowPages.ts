import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import type { LogPage, WindowReader } from './catchUp.ts';

/** Positions per read; filtered reads may use a larger window, since fewer events match. */
const WINDOW = 4000n;
const FILTERED_WINDOW = 20_000n;
/** Windows requested ahead of the one being delivered: the database reads them in parallel. */
const READ_AHEAD = 2;

/** Reads a log in windows of positions, a few ahead, up to its head at the start of the read. */
export async function* windowPages(
  reader: WindowReader,
  after: bigint,
  head: () => bigint,
  categories: readonly string[] | undefined,
): AsyncGenerator<LogPage, void> {
  const window = categories === undefined ? WINDOW : FILTERED_WINDOW;
  const requested: { readonly upTo: bigint; readonly events: Promise<readonly LoggedEvent[]> }[] =
    [];
  for (let next = after; ;) {
    while (requested.length <= READ_AHEAD && next < head()) {
      const upTo = next + window < head() ? next + window : head();
      const events = reader.readWindow(next, upTo, categories);
      // Handled when the page is awaited, which may be later or never.
      events.catch(() => undefined);
      requested.push({ upTo, events });
      next = upTo;
    }
    const page = requested.shift();
    if (page === undefined) return;
    yield { events: await page.events, upTo: page.upTo };
  }
}
