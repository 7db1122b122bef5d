import type { AuditChange, AuditChanges } from '../../application/audit/ports/auditTrail.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { type ShownState, shownStates } from './states.ts';

const nothing: AuditChange = { before: null, after: null };

/** Change made by one event: its stream folded up to it and through it, as in the read models. */
export function createAuditChanges(eventStore: Pick<EventStore, 'read'>): AuditChanges {
  return async ({ stream, revision, subject }) => {
    const stateOf = shownStates.get(categoryOf(stream));
    if (stateOf === undefined) return nothing;
    const events: RecordedEvent[] = [];
    for await (const recorded of eventStore.read(stream)) {
      if (recorded.revision > revision) break;
      events.push(recorded);
    }
    return difference(stateOf(events.slice(0, -1), subject), stateOf(events, subject));
  };
}

/** Only the differences; of a new thing, every field. */
function difference(before: ShownState | null, after: ShownState | null): AuditChange {
  if (before === null || after === null) return { before: shown(before), after: shown(after) };
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(plain(before[name])) !== JSON.stringify(plain(after[name])),
  );
  const only = (state: ShownState) =>
    Object.fromEntries(changed.map((name) => [name, plain(state[name])]));
  return { before: only(before), after: only(after) };
}

function shown(state: ShownState | null): ShownState | null {
  if (state === null) return null;
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, plain(value)]));
}

/** JSON has no 64-bit integers; those shown here are small. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
