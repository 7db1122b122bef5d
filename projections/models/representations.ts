import {
  type RepresentationEvent,
  representationEvents,
  type RightTerms,
  type SignerInvited,
} from '../../domain/representation/events.ts';
import { unreachable } from '../../domain/shared/decider.ts';
import { boolean, int8, jsonb, type RowOf, text } from '../engine/columns.ts';
import { readModel } from '../engine/readModel.ts';

/** A right as JSON; times are ISO strings, civil ids in clear. */
export type RightRow = RightTerms & {
  readonly status: 'ACTIVE' | 'PENDING' | 'WITHDRAWN';
  readonly linkedBy: string | null;
  /** Sessions of a PENDING right in which the invited person may accept; empty: none. */
  readonly sessionIds: readonly string[];
  /** Sessions of a PENDING right in which an ADMIN may confirm. */
  readonly adminSessionIds: readonly string[];
};

const columns = {
  register: text(),
  rights: jsonb<readonly RightRow[]>(),
  /** True while an invitation or a right requested by a relying party is pending. */
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
  const changed = [
    ...rights.filter((each) => each.civilId !== civilId),
    ...evolveRights(
      rights.filter((each) => each.civilId === civilId),
      event,
    ),
  ];
  return {
    register,
    rights: changed,
    has_pending: changed.some(({ status }) => status === 'PENDING'),
    revision: 0n,
  };
}

/** A right requested by a relying party; the person's current right is kept beside it. */
const isRequest = ({ status, sessionIds }: RightRow) =>
  status === 'PENDING' && sessionIds.length === 0;

/** @param rights of one person: the current right, and the one requested by a relying party */
function evolveRights(
  rights: readonly RightRow[],
  event: RepresentationEvent,
): readonly RightRow[] {
  const requested = rights.find(isRequest);
  const right = rights.find((each) => each !== requested);
  const kept = requested === undefined ? [] : [requested];
  const held = right === undefined ? [] : [right];
  switch (event.type) {
    case 'RightGranted':
      return [{ ...termsOf(event.data), ...settled, status: 'ACTIVE' }];
    case 'RightRequested': {
      const { sessionId, linkedBy } = event.data;
      const asked = requested?.linkedBy === linkedBy ? requested.adminSessionIds : [];
      const adminSessionIds = [...asked, sessionId];
      const terms = termsOf(event.data);
      return [...held, { ...terms, ...settled, status: 'PENDING', adminSessionIds }];
    }
    case 'RightConfirmed': {
      const { confirmedAt: validFrom } = event.data;
      return requested === undefined
        ? held
        : [{ ...requested, ...settled, status: 'ACTIVE', validFrom }];
    }
    case 'SignerInvited':
      return [...kept, invited(right, event.data)];
    case 'SignerConfirmed': {
      const { confirmedAt: validFrom } = event.data;
      return [...kept, ...held.map((each) => ({ ...each, ...settled, ...active, validFrom }))];
    }
    case 'RightWithdrawn':
      return held.map((each) => ({ ...each, ...settled, status: 'WITHDRAWN' }));
    default:
      return unreachable(event);
  }
}

const settled = { sessionIds: [], adminSessionIds: [] } as const;
const active = { status: 'ACTIVE' } as const;

function termsOf(data: RightTerms & Pick<RightRow, 'linkedBy'>) {
  const { civilId, rightType, role, source, evidenceRef, linkedBy, validFrom, validTo } = data;
  return { civilId, rightType, role, source, evidenceRef, linkedBy, validFrom, validTo };
}

function invited(right: RightRow | undefined, data: SignerInvited['data']): RightRow {
  const { civilId, role, linkedBy, sessionId, adminSessionId, invitedAt } = data;
  const before = right?.status === 'PENDING' && right.linkedBy === linkedBy ? right : null;
  return {
    civilId,
    role,
    linkedBy,
    rightType: 'MANAGER',
    source: 'MANUAL',
    evidenceRef: null,
    validFrom: invitedAt,
    validTo: null,
    status: 'PENDING',
    sessionIds: [...(before?.sessionIds ?? []), sessionId],
    adminSessionIds: [
      ...(before?.adminSessionIds ?? []),
      ...(adminSessionId === null ? [] : [adminSessionId]),
    ],
  };
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
