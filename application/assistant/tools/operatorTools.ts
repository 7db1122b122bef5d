import { auditEventTypes } from '../../../domain/events.ts';
import {
  type Capability,
  hasCapability,
  type OperatorRole,
} from '../../../domain/operator/capabilities.ts';
import { readPersonIdentifier } from '../../../domain/shared/etsi.ts';
import type { AssistantCaller, AssistantTool, JsonObject } from '../ports/assistant.ts';
import type { AuditEntry, AuditFilter, AuditTrail } from '../../audit/ports/auditTrail.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RelyingPartyData } from '../../ports/referenceData.ts';
import type { StatisticsView } from '../../ports/statistics.ts';

export interface OperatorToolDependencies {
  readonly statistics: Pick<StatisticsView, 'statistics'>;
  readonly relyingPartyPage: (filter: {
    readonly query: string;
    readonly active: boolean | null;
    readonly limit: number;
    readonly offset: number;
  }) => Promise<{ readonly items: readonly RelyingPartyData[]; readonly total: number }>;
  readonly auditTrail: Pick<AuditTrail, 'auditEntries'>;
  /** The operator's current role, which may change while an answer is generated. Null: not an operator any more. */
  readonly roleOf: (operatorId: string) => Promise<OperatorRole | null>;
  readonly clock: Clock;
}

const HOUR_MS = 3_600_000;
const MOST_HOURS = 31 * 24;
const MOST_PARTIES = 5;
const MOST_EVENTS = 20;

/**
 * Read-only tools for signed-in operators, each requiring the capability of the same query in the operator API, checked
 * again on every run. Results are sent to the model's provider, so they contain no person's identifier, address or
 * name, and only the end of a document number; event ids lead an operator to the full record. Relying parties and
 * organizations are named (docs/operations.md, Data sent to providers).
 */
export function createOperatorTools(
  dependencies: OperatorToolDependencies,
): readonly AssistantTool[] {
  return [
    sessionOutcomes(dependencies),
    relyingPartyStatus(dependencies),
    auditEvents(dependencies),
  ];
}

function sessionOutcomes({ statistics, clock, roleOf }: OperatorToolDependencies): AssistantTool {
  return forOperators(
    { capability: 'audit:read', roleOf },
    {
      name: 'count_session_outcomes',
      description:
        'Counts authentication and signature sessions of the platform by kind and outcome, for the last hours up to now.',
      properties: {
        hours: {
          type: 'integer',
          minimum: 1,
          maximum: MOST_HOURS,
          description: 'How many hours back; 24 when omitted.',
        },
      },
      async run({ hours = 24 }) {
        const back = wholeNumber(hours, MOST_HOURS);
        const now = clock.now();
        const to = new Date(Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS);
        const from = new Date(to.getTime() - back * HOUR_MS);
        const { sessions, relyingParties, latency } = await statistics.statistics(
          { from, to },
          now,
        );
        return {
          from: from.toISOString(),
          to: to.toISOString(),
          sessions,
          relying_parties: relyingParties.slice(0, MOST_PARTIES),
          answer_time_ms: latency,
        };
      },
    },
  );
}

function relyingPartyStatus({ relyingPartyPage, roleOf }: OperatorToolDependencies): AssistantTool {
  return forOperators(
    { capability: 'rp:read', roleOf },
    {
      name: 'relying_party_status',
      description:
        'Finds relying parties by a part of their name or UUID and says whether they are active and what they may do.',
      properties: { query: { type: 'string', description: 'A part of the name, or the UUID.' } },
      required: ['query'],
      async run({ query }) {
        const page = { active: null, limit: MOST_PARTIES, offset: 0 };
        const { items, total } = await relyingPartyPage({ query: line(query), ...page });
        return {
          relying_parties: items.map((party) => ({
            id: party.relyingPartyId,
            name: party.name,
            active: party.active,
            permissions: party.permissions,
            first_party: party.firstParty,
            requests_per_minute: party.requestsPerMinute,
            subsystems: party.subsystems.map(({ name, status }) => ({ name, status })),
          })),
          total,
        };
      },
    },
  );
}

function auditEvents({ auditTrail, roleOf }: OperatorToolDependencies): AssistantTool {
  return forOperators(
    { capability: 'audit:read', roleOf },
    {
      name: 'find_audit_events',
      description:
        'Finds entries of the audit, the newest first: what was done or refused, when and by whom. Cite the event_id of every ' +
        'entry you speak of.',
      properties: {
        type: { type: 'string', enum: auditEventTypes, description: 'What happened.' },
        subject: {
          type: 'string',
          description:
            'Public identifier of what it was done to: a UUID, serial number or register.',
        },
        outcome: { type: 'string', enum: ['OK', 'DENIED'] },
        limit: { type: 'integer', minimum: 1, maximum: MOST_EVENTS },
      },
      async run({ type, subject, outcome, limit = 10 }) {
        const filter: AuditFilter = {
          type: type === undefined ? undefined : oneOf(auditEventTypes, type),
          subject: subject === undefined ? undefined : line(subject),
          outcome: outcome === undefined ? undefined : oneOf(['OK', 'DENIED'] as const, outcome),
        };
        const page = { limit: wholeNumber(limit, MOST_EVENTS), offset: 0 };
        const { items, total, isTotalExact } = await auditTrail.auditEntries(filter, page);
        return { events: items.map(shown), total, total_is_exact: isTotalExact };
      },
    },
  );
}

function shown({ eventId, at, type, outcome, actor, subject }: AuditEntry): JsonObject {
  return {
    event_id: eventId,
    at: at.toISOString(),
    type,
    outcome,
    actor:
      actor.kind === 'citizen' || actor.kind === 'device' ? actor.kind : withoutPerson(actor.id),
    actor_kind: actor.kind,
    subject: type.startsWith('DEVICE_') ? endOf(subject) : withoutPerson(subject),
  };
}

/** Enough to tell the phones in one answer apart. */
function endOf(documentNumber: string): string {
  return `…${documentNumber.slice(-4)}`;
}

/** ETSI EN 319 412-1 §5.1.3: prefixes of identifiers of natural persons. */
const personSemantics = /^(?:IDC|PAS|PNO|TAX|TIN)[A-Z]{2}-/;

function withoutPerson(identifier: string): string {
  const isPerson = personSemantics.test(identifier) || readPersonIdentifier(identifier) !== null;
  return isPerson ? 'a person' : identifier;
}

interface OperatorTool {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  run(args: JsonObject): Promise<JsonObject>;
}

interface Permitting extends Pick<OperatorToolDependencies, 'roleOf'> {
  readonly capability: Capability;
}

function forOperators(
  { capability, roleOf }: Permitting,
  { name, description, properties, required = [], run }: OperatorTool,
): AssistantTool {
  const may = (role: OperatorRole | null) => role !== null && hasCapability(role, capability);
  return {
    name,
    description,
    parameters: { type: 'object', properties, required, additionalProperties: false },
    isFor: ({ operator }: AssistantCaller) => may(operator?.role ?? null),
    run: async (args, { operator }) => {
      if (operator === null || !may(await roleOf(operator.id))) {
        throw new Error(`The caller lacks the capability ${capability}, which ${name} requires.`);
      }
      return run(args);
    },
  };
}

function wholeNumber(value: unknown, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
    return value;
  }
  // The message omits the value: the model took it from a user's question, and failures are logged.
  throw new Error(`The argument must be an integer from 1 to ${most}.`);
}

function line(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 200) return value.trim();
  throw new Error('The argument must be a text of 1 to 200 characters.');
}

function oneOf<Value extends string>(values: readonly Value[], given: unknown): Value {
  const found = values.find((value) => value === given);
  if (found === undefined) throw new Error(`The argument must be one of ${values.join(', ')}.`);
  return found;
}
