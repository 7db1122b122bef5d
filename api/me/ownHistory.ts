import type { RelyingPartyReferenceData } from '../../application/ports/referenceData.ts';
import type { Sessions } from '../../application/session/sessions.ts';
import { citizenOf, type StartedSession } from '../../domain/session/session.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { createSessionList, ListedSession } from '../../projections/sessionList.ts';

/** A session with the name of the relying party that asked. */
export interface OwnSession extends ListedSession {
  readonly askedBy: string;
}

/** Sessions of one page of the history, the latest first. */
export interface OwnHistory {
  readonly sessions: readonly OwnSession[];
  readonly offset: number;
  readonly hasOlder: boolean;
}

export interface OwnHistoryDependencies {
  readonly sessionList: ReturnType<typeof createSessionList>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly referenceData: Pick<RelyingPartyReferenceData, 'relyingParty'>;
}

/** Sessions on one page. */
export const HISTORY_PAGE = 20;

/** Reads what one citizen was asked; what another was asked does not exist. */
export interface OwnHistoryReader {
  /** @param limit sessions at most */
  history(civilId: string, offset: number, limit?: number): Promise<OwnHistory>;
  /** @throws Refusal SESSION_NOT_FOUND */
  session(
    civilId: string,
    sessionId: string,
  ): Promise<{ readonly session: StartedSession; readonly askedBy: string }>;
}

export function createOwnHistory({
  sessionList,
  sessions,
  referenceData,
}: OwnHistoryDependencies): OwnHistoryReader {
  async function nameOfParty(id: string): Promise<string> {
    return (await referenceData.relyingParty(id))?.name ?? id;
  }

  async function named(listed: readonly ListedSession[]): Promise<readonly OwnSession[]> {
    const ids = [...new Set(listed.map(({ relyingPartyUUID }) => relyingPartyUUID))];
    const names = new Map(
      await Promise.all(ids.map(async (id) => [id, await nameOfParty(id)] as const)),
    );
    return listed.map((one) => ({ ...one, askedBy: names.get(one.relyingPartyUUID) ?? '' }));
  }

  return {
    async history(civilId, offset, limit = HISTORY_PAGE) {
      const anything = { sessionId: null, relyingParty: null, kind: null, flow: null };
      const ever = { outcome: null, minSeconds: null, from: null, to: null };
      const { items } = await sessionList.sessions(
        { ...anything, ...ever, of: { civilIds: [civilId], relyingParties: [] } },
        { limit: limit + 1, offset, upTo: null },
      );
      return {
        sessions: await named(items.slice(0, limit)),
        offset,
        hasOlder: items.length > limit,
      };
    },
    async session(civilId, sessionId) {
      // Another process may have completed it.
      const trusts = ({ status }: { readonly status: string }) => status === 'COMPLETE';
      const { state } = await sessions.load(sessionId, { trusts });
      if (state.status === 'NONE' || citizenOf(state) !== civilId) {
        throw new Refusal('SESSION_NOT_FOUND');
      }
      return { session: state, askedBy: await nameOfParty(state.started.relyingPartyId) };
    },
  };
}
