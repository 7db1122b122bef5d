import { Refusal } from '../../domain/shared/refusal.ts';
import type { SessionTarget } from './sessionOwner.ts';
import type { Sessions } from './sessions.ts';

interface LinkingRequest {
  readonly relyingParty: { readonly relyingPartyId: string };
  readonly target: SessionTarget;
  readonly nested: { readonly linkedSessionId: string | null } | null;
}

/**
 * Checks that a linked signature continues a certificate choice of this relying party by device link, answered by this
 * very device.
 *
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST
 */
export async function expectChosenHere(
  sessions: Pick<Sessions, 'load'>,
  { relyingParty, target, nested }: LinkingRequest,
  now: Date,
): Promise<void> {
  const linkedSessionId = nested?.linkedSessionId ?? null;
  if (linkedSessionId === null) return;
  // Another process may have completed it: a cached RUNNING state proves nothing.
  const { state } = await sessions.load(linkedSessionId, {
    trusts: ({ status }) => status === 'COMPLETE',
  });
  if (
    state.status === 'NONE' ||
    state.started.relyingPartyId !== relyingParty.relyingPartyId ||
    now.toISOString() >= state.started.readableUntil
  ) {
    throw new Refusal('SESSION_NOT_FOUND');
  }
  const chosen = state.status === 'COMPLETE' ? state.outcome.chosen : null;
  const documentNumber = target.type === 'document' ? target.documentNumber : null;
  if (state.started.flow !== 'DEVICE_LINK' || chosen?.documentNumber !== documentNumber) {
    const detail =
      'Must be a certificate choice by device link that ended with OK on this document.';
    throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '/linkedSessionID', detail }] });
  }
}
