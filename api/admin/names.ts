import { z } from 'zod';
import { hasCapability } from '../../domain/operator/capabilities.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { namedKinds, type Names } from '../../projections/names.ts';
import { type Route, route } from '../http/route.ts';
import { personalData } from '../schemas/personalData.ts';
import type { OperatorGuards } from './guard.ts';

const fields = {
  kind: z.enum(namedKinds),
  name: z.string().nullable().meta({
    description:
      'E-mail of an operator, owner of a device, holder of a certificate, relying party of a session, or what an approval is about; null if unknown or forgotten',
  }),
  type: z.string().nullable().meta({
    description:
      'Type of a certificate, kind of a session, platform of a device, method of a verification, operation of an approval',
  }),
};

/** Name and kind of an id. */
const namedThing = z
  .strictObject({ id: z.string(), ...fields })
  .register(personalData, { what: 'names of citizens' });

/** A body with the names of its ids. */
export function named<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape, z.core.$strict>) {
  return schema.extend({
    names: z
      .array(namedThing)
      .meta({ description: 'The things that the ids in this answer identify' }),
  });
}

/** Fields that hold ids, in answers and in details of the audit; text that people write decides nothing. */
const idFields: ReadonlySet<string> = new Set([
  ...['id', 'etsi', 'personEtsi', 'orgEtsi', 'person', 'persons', 'organizations', 'subject'],
  ...['documentNumber', 'serial', 'authenticationSerial', 'signingSerial', 'certificateSerial'],
  ...['supersededBy', 'blockedBy', 'requestedBy', 'decidedBy', 'operator', 'approver'],
  ...['sessionId', 'verificationId', 'documentId', 'approvalId', 'articleId', 'operatorId'],
  ...['clientId', 'tenantId', 'relyingPartyId', 'relyingPartyUUID', 'issuedTo', 'holder'],
]);

const FORM =
  '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,40}|PNOMN-\\d+|NTRMN-[^\\s"«»,]+';
/** UUID, serial of a certificate, identifier of a person or organization. */
const ID = new RegExp(`^(?:${FORM})$`);
/** Thing changed by a command, before any name it has: `certificate <serial>`. */
const TARGET = new RegExp(`^[A-Za-z ]+ (${FORM})(?= |$)`);

function idIn(field: string, text: string): string | null {
  if (field === 'civilId') return personEtsi(text);
  if (field === 'register') return organizationEtsi(text);
  if (field === 'target') return TARGET.exec(text)?.[1] ?? null;
  return idFields.has(field) && ID.test(text) ? text : null;
}

function* idsIn(value: unknown, field = ''): Generator<string> {
  if (typeof value === 'string') {
    const id = idIn(field, value);
    if (id !== null) yield id;
  } else if (Array.isArray(value)) {
    for (const each of value) yield* idsIn(each, field);
  } else if (typeof value === 'object' && value !== null) {
    const { kind, id } = value as { readonly kind?: unknown; readonly id?: unknown };
    // The log names citizens who act by the civil id alone.
    if (kind === 'citizen' && typeof id === 'string') yield personEtsi(id);
    for (const [key, each] of Object.entries(value)) yield* idsIn(each, key);
  }
}

/** Adds the names of every id in a body. Every role that reads one may read citizens (`user:read`). */
export async function withNames<Body extends object>(
  names: Pick<Names, 'of'>,
  body: Body,
): Promise<Body & { readonly names: readonly z.output<typeof namedThing>[] }> {
  const found = await names.of([...new Set(idsIn(body))]);
  return { ...body, names: Array.from(found, ([id, each]) => ({ id, ...each })) };
}

/** Person of a disclosure, when it is of one alone. @param found persons' identifiers, each any number of times */
export function aboutOne(found: readonly (string | null)[]): { readonly about?: string } {
  const [person, ...others] = new Set(found);
  return typeof person === 'string' && others.length === 0 ? { about: person } : {};
}

/** Things of a kind offered for a text. */
const OFFERED = 10;

/** Looks up names, for who filters by them. */
export function nameRoutes(guards: OperatorGuards, names: Names): readonly Route[] {
  return [
    route({
      name: 'admin.names.find',
      summary: 'Find operators, relying parties, organizations and citizens by name or e-mail',
      method: 'GET',
      path: '/v3/admin/names',
      guard: guards.withCapability('audit:read'),
      query: z.object({ q: z.string().trim().min(1).max(200) }),
      response: {
        200: z.strictObject({ items: z.array(namedThing) }),
      },
      handle: async ({ query: { q }, principal: { role } }) => {
        // Lists of colleagues are for those who manage them.
        const how = hasCapability(role, 'admin:manage') ? 'byPart' : 'byEmail';
        const items = await names.find(q, OFFERED, how);
        const citizens = items.filter(({ kind }) => kind === 'citizen');
        return { body: { items }, ...aboutOne(citizens.map(({ id }) => id)) };
      },
    }),
  ];
}

/**
 * The id a filter is about: an id is itself; an e-mail, name or identifier stands for the one thing called exactly so;
 * what nothing is called is taken as it is (actors such as `configuration`).
 *
 * @throws Refusal INVALID_REQUEST when there are several
 */
export async function idNamed(
  names: Pick<Names, 'of' | 'called'>,
  { text, pointer }: { readonly text: string; readonly pointer: string },
): Promise<string> {
  if ((await names.of([text])).has(text)) return text;
  const called = await names.called(text);
  if (called !== null && called.length < 2) return called[0]?.id ?? text;
  const detail = 'Several have this name. Send the id of one of them, see /v3/admin/names.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer, detail }] });
}
