import type { NewEvent } from '../../application/ports/eventStore.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { sealAddress } from '../../application/ports/sealedAddress.ts';
import { eventTypes } from '../../domain/events.ts';

const CIVIL_ID = /^\d{12}$/;

/**
 * Seals the IP address in an event's metadata: under the key of the operator or citizen who acted, or of the owner of
 * the phone that did. Addresses of relying parties' servers, and of unknown people, are sealed under the platform key.
 * The address of a forgotten person is dropped.
 */
export function withSealedAddress(
  vault: Pick<PersonalDataVault, 'seal'>,
  event: NewEvent,
): NewEvent | Promise<NewEvent> {
  const { ip } = event.metadata;
  if (ip === null) return event;
  const kept = (sealed: string | null) => ({
    ...event,
    metadata: { ...event.metadata, ip: sealed },
  });
  return sealAddress(vault, ownerOf(event), ip).then(kept, (error: unknown) => {
    if (error instanceof SubjectForgotten) return kept(null);
    throw error;
  });
}

function ownerOf({ event: { type, data }, metadata: { actor } }: NewEvent): string | null {
  if (actor.kind === 'operator') return `operator:${actor.id}`;
  if (actor.kind === 'citizen' && CIVIL_ID.test(actor.id)) return actor.id;
  if (actor.kind === 'relyingParty' || actor.kind === 'system') return null;
  const civilId = eventTypes.get(type)?.audit.civilId?.(data) ?? null;
  return civilId !== null && CIVIL_ID.test(civilId) ? civilId : null;
}
