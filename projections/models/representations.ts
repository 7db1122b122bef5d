import {
  type RepresentationEvent,
  representationEvents,
  type RightTerms,
} from '../../domain/representation/events.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import { boolean, int8, jsonb, type RowOf, text } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

/** A right as JSON; times are ISO strings, civil ids in clear. */
export type RightRow = RightTerms & {
  readonly status: 'ACTIVE' | 'PENDING' | 'WITHDRAWN';
  /** Of a PENDING one: where it may be confirmed. */
  readonly sessionIds: readonly string[];
};

const columns = {
  register: text(),
  rights: jsonb<readonly RightRow[]>(),
  /** True while an invitation is pending. */
  has_pending: boolean(),
  revision: int8(),
};

/** All rights to represent one organization. */
export type RepresentationRow = RowOf<typeof columns>;

function evolve(
  row: RepresentationRow | undefined,
  event: RepresentationEvent,
  register: string,
): RepresentationRow {
  const rights = row?.rights ?? [];
  const { civilId } = event.data;
  const right = evolveRight(
    rights.find((each) => each.civilId === civilId),
    event,
  );
  const others = rights.filter((each) => each.civilId !== civilId);
  const changed = right === undefined ? others : [...others, right];
  return {
    register,
    rights: changed,
    has_pending: changed.some(({ status }) => status === 'PENDING'),
    revision: 0n,
  };
}

function evolveRight(
  right: RightRow | undefined,
  event: RepresentationEvent,
): RightRow | undefined {
  switch (event.type) {
    case 'RightGranted': {
      const { rightType, role, source, evidenceRef, validFrom, validTo } = event.data;
      return {
        civilId: event.data.civilId,
        rightType,
        role,
        source,
        evidenceRef,
        validFrom,
        validTo,
        status: 'ACTIVE',
        sessionIds: [],
      };
    }
    case 'SignerInvited': {
      const { civilId, role, sessionId, invitedAt } = event.data;
      const asked = right?.status === 'PENDING' ? right.sessionIds : [];
      return {
        civilId,
        role,
        rightType: 'MANAGER',
        source: 'MANUAL',
        evidenceRef: null,
        validFrom: invitedAt,
        validTo: null,
        status: 'PENDING',
        sessionIds: [...asked, sessionId],
      };
    }
    case 'SignerConfirmed':
      return (
        right && { ...right, status: 'ACTIVE', validFrom: event.data.confirmedAt, sessionIds: [] }
      );
    case 'RightWithdrawn':
      return right && { ...right, status: 'WITHDRAWN', sessionIds: [] };
    default:
      return unreachable(event);
  }
}

/** The read model of rights, table `representation_view`: one row an organization. */
export const representationsReadModel = readModel({
  name: 'representations',
  table: 'representation_view',
  events: representationEvents,
  key: 'register',
  columns,
  shown: ['rights'],
  evolve,
  topics: () => [],
});
