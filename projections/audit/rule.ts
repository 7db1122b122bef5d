import type { AuditDetails, AuditEventType } from '../../application/ports/auditTrail.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';

/** How events of one type are audited. */
export interface AuditRule<Data extends object = object> {
  readonly type: AuditEventType;
  /** What an operator needs to be let cause it; omitted: operators do not. */
  readonly capability?: Capability | ((data: Data) => Capability | null);
  /** Public identifier of what it was done to; omitted: the identifier in the stream's name. */
  readonly subject?: (data: Data) => string;
  /** Civil id of the citizen concerned; omitted: nobody. */
  readonly civilId?: (data: Data) => string | null;
  /** The event says that something was refused. */
  readonly isDenied?: true;
  /** Further facts, none of them personal; omitted: none. */
  readonly details?: (data: Data) => AuditDetails;
}

/** A rule for every type of event of a union: one that is forgotten does not compile. */
export type AuditRules<Event extends DomainEvent> = {
  readonly [E in Event as E['type']]: AuditRule<E['data']>;
};
