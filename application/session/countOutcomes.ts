import type { EndResult, SessionFlow, SessionKind } from '../../domain/session/events.ts';
import type { Sessions } from './sessions.ts';

/** Counts outcomes; each session is counted once, by the process that completed it. */
export type OutcomeCounter = (kind: SessionKind, flow: SessionFlow, endResult: EndResult) => void;

/** The same sessions, counting. */
export function countOutcomes(sessions: Sessions, count: OutcomeCounter): Sessions {
  function counting(handle: Sessions['handle']): Sessions['handle'] {
    return async (id, command, context) => {
      const handled = await handle(id, command, context);
      const { state, events } = handled;
      if (events.length > 0 && state.status === 'COMPLETE') {
        count(state.started.kind, state.started.flow, state.outcome.endResult);
      }
      return handled;
    };
  }
  return {
    load: sessions.load,
    handle: counting(sessions.handle),
    handleNew: counting(sessions.handleNew),
  };
}
