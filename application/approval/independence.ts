import type { OperatorEvent } from '../../domain/operator/events.ts';
import { BREAK_GLASS, DEVELOPMENT } from '../../domain/shared/operatorIdentities.ts';
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
 * another or resets their credentials can sign in as them, and transitively as everybody those add. Any operator may be
 * the holder of the break-glass key: accounts that the key added, reset or raised depend on everybody. Changes by the
 * command line, the seeding of the first operator and the development profile do not count, which is how an
 * installation starts.
 *
 * @param one the requester, or who approved before
 * @throws Refusal PERMISSION_DENIED for the break-glass key, APPROVER_NOT_INDEPENDENT
 */
export async function assertIndependent(
  { eventStore, clock }: { readonly eventStore: Pick<EventStore, 'read'>; readonly clock: Clock },
  one: string,
  approver: string,
): Promise<void> {
  if (approver === BREAK_GLASS) {
    throw new Refusal('PERMISSION_DENIED', {
      detail: 'The break-glass key names nobody, so it approves nothing; sign in as an operator.',
    });
  }
  const since = clock.now().getTime() - INDEPENDENT_AFTER_DAYS * 86_400_000;
  const dependants = await readDependants(eventStore, since);
  const ofTheKey = dependantsOf(dependants, BREAK_GLASS);
  if (ofTheKey.has(one) || ofTheKey.has(approver)) {
    throw new Refusal('APPROVER_NOT_INDEPENDENT', {
      detail: `One of you was added, reset or raised with the break-glass key within ${INDEPENDENT_AFTER_DAYS} days, perhaps through others, and may be its holder: an independent operator must decide. Where there is none, add operators on the machine: ./tamga admin add.`,
    });
  }
  const isDependent =
    dependantsOf(dependants, one).has(approver) || dependantsOf(dependants, approver).has(one);
  if (isDependent) throw new Refusal('APPROVER_NOT_INDEPENDENT');
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

/** Everybody who depends on this operator, also through others. */
function dependantsOf(dependants: Dependants, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  // A set yields what is added while it is iterated.
  for (const operator of reached) {
    for (const dependant of dependants.get(operator) ?? []) reached.add(dependant);
  }
  reached.delete(from);
  return reached;
}
