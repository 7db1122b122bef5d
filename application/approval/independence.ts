import type { OperatorEvent } from '../../domain/operator/events.ts';
import { BREAK_GLASS, DEVELOPMENT } from '../../domain/operator/identities.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import { allOperators } from '../operator/operators.ts';

/** Days after which an operator counts as independent of who added, reset or raised them. */
const INDEPENDENT_AFTER_DAYS = 30;

/** Operators by the operator who lately added them, reset their credentials or changed their role. */
type Dependants = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Refuses an approval by an operator who may be the requester: dual control needs two people. An operator who adds
 * another or resets their credentials can sign in as them, and transitively as everybody those add. Changes by the
 * command line, the seeding of the first operator and the development profile do not count, which is how an
 * installation starts.
 *
 * @throws Refusal PERMISSION_DENIED for the break-glass key, APPROVER_NOT_INDEPENDENT
 */
export async function assertIndependent(
  { eventStore, clock }: { readonly eventStore: Pick<EventStore, 'read'>; readonly clock: Clock },
  requester: string,
  approver: string,
): Promise<void> {
  if (approver === BREAK_GLASS) {
    throw new Refusal('PERMISSION_DENIED', {
      detail: 'The break-glass key names nobody, so it approves nothing; sign in as an operator.',
    });
  }
  const since = clock.now().getTime() - INDEPENDENT_AFTER_DAYS * 86_400_000;
  const dependants = await readDependants(eventStore, since);
  if (reaches(dependants, requester, approver) || reaches(dependants, approver, requester)) {
    throw new Refusal('APPROVER_NOT_INDEPENDENT');
  }
}

async function readDependants(
  eventStore: Pick<EventStore, 'read'>,
  since: number,
): Promise<Dependants> {
  const dependants = new Map<string, Set<string>>();
  for await (const { event, metadata } of eventStore.read(streamOf('operators', allOperators))) {
    const { kind, id } = metadata.actor;
    const isBySomebody = kind === 'operator' && id !== DEVELOPMENT;
    if (!isBySomebody || Date.parse(metadata.time) < since) continue;
    if (!givesAccess(event as OperatorEvent)) continue;
    const { operatorId } = (event as OperatorEvent).data;
    dependants.set(id, (dependants.get(id) ?? new Set()).add(operatorId));
  }
  return dependants;
}

/** True for events by which another operator sets an operator's credentials or role. */
function givesAccess(event: OperatorEvent): boolean {
  switch (event.type) {
    case 'OperatorAdded':
    case 'OperatorRoleChanged':
    case 'SecondFactorReset':
      return true;
    case 'PasswordChanged':
      return event.data.mustChangePassword;
    default:
      return false;
  }
}

function reaches(dependants: Dependants, from: string, to: string): boolean {
  const reached = new Set([from]);
  // A set yields what is added while it is iterated.
  for (const operator of reached) {
    for (const dependant of dependants.get(operator) ?? []) reached.add(dependant);
  }
  return from !== to && reached.has(to);
}
