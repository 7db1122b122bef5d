import { may, useAccount } from '../account.ts';
import type { Place } from '../charts/ChartFigure.tsx';

/** Sessions that a chart or table counts. */
interface CountedSessions {
  /** ISO 8601; `until` is the first moment after them. */
  readonly since: string;
  readonly until: string;
  readonly outcome?: string | undefined;
  readonly kind?: string;
  readonly relyingParty?: string;
}

/** Leads to the list of the sessions that are counted; null: the account may not read sessions. */
export function useSessionPlaces(): (counted: CountedSessions) => Place | null {
  const isAllowed = may(useAccount(), 'session:read');
  return ({ outcome, ...counted }) =>
    isAllowed
      ? { to: '/sessions', search: { ...counted, ...(outcome !== undefined && { outcome }) } }
      : null;
}
