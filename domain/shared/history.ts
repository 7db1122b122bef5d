/**
 * Items an aggregate keeps, one of every event of a kind, without bound: a further item shares all earlier ones, so that
 * folding a stream takes time in proportion to its length. Null: nothing yet.
 */
export type History<Item> = { readonly newest: Item; readonly before: History<Item> } | null;

/** The history after one more item. */
export function remembering<Item>(before: History<Item>, newest: Item): History<Item> {
  return { newest, before };
}

/** All items, the newest first. */
export function* newestFirst<Item>(history: History<Item>): Generator<Item, void> {
  for (let at = history; at !== null; at = at.before) yield at.newest;
}

/** Sessions of one request that are remembered: older ones have ended, as far fewer run at a time. */
const MOST_SESSIONS = 20;

/** The newest sessions of a request with one more; null: none was asked. */
export function withNewest(
  sessionIds: readonly string[],
  sessionId: string | null,
): readonly string[] {
  return sessionId === null ? sessionIds : [...sessionIds, sessionId].slice(-MOST_SESSIONS);
}
