import { z } from 'zod';
import { personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { namedKinds, type Names } from '../../projections/names.ts';
import { type Route, route } from '../http/route.ts';
import { personalData } from '../schemas/personalData.ts';
import type { OperatorGuards } from './guard.ts';

const fields = {
  kind: z.enum(namedKinds),
  name: z.string().nullable().meta({
    description:
      'E-mail of an operator; owner of a device, holder of a certificate, relying party of a session; null: unknown or forgotten',
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
    names: z.array(namedThing).meta({ description: 'What the ids in this answer stand for' }),
  });
}

/** Ids in texts: UUIDs, serials of certificates, identifiers of persons and organizations. */
const ID =
  /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,40}|PNOMN-\d+|NTRMN-[^\s"«»,]+)(?![0-9a-f])/g;

/** Actor of an event that is a citizen: the log names them by the civil id alone. */
const CITIZEN = /"kind":"citizen","id":"(\d+)"/g;

function idsIn(text: string): readonly string[] {
  const citizens = Array.from(text.matchAll(CITIZEN), ([, civilId = '']) => personEtsi(civilId));
  return [...(text.match(ID) ?? []), ...citizens];
}

/** Adds the names of every id in a body. Every role that reads one may read citizens (`user:read`). */
export async function withNames<Body extends object>(
  names: Names,
  body: Body,
): Promise<Body & { readonly names: readonly z.output<typeof namedThing>[] }> {
  const found = await names.of([...new Set(idsIn(JSON.stringify(body)))]);
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
      summary: 'Operators, relying parties, organizations and citizens by name or e-mail',
      method: 'GET',
      path: '/v3/admin/names',
      guard: guards.withCapability('audit:read'),
      query: z.object({ q: z.string().trim().min(1).max(200) }),
      response: {
        200: z.strictObject({ items: z.array(namedThing) }),
      },
      handle: async ({ query: { q } }) => {
        const items = await names.find(q, OFFERED);
        const citizens = items.filter(({ kind }) => kind === 'citizen');
        return { body: { items }, ...aboutOne(citizens.map(({ id }) => id)) };
      },
    }),
  ];
}

/**
 * The id a filter is about: an e-mail or name stands for the one thing called so.
 *
 * @throws Refusal INVALID_REQUEST when there are several
 */
export async function idNamed(
  names: Names,
  { text, pointer }: { readonly text: string; readonly pointer: string },
): Promise<string> {
  // An id has no space, no @ and no letter beyond ASCII.
  if (/^[\w-]+$/.test(text) && /[\d-]/.test(text)) return text;
  const found = await names.find(text, OFFERED);
  const exact = found.filter(({ name }) => name?.toLowerCase() === text.trim().toLowerCase());
  const [first, ...others] = exact.length > 0 ? exact : found;
  if (others.length === 0) return first?.id ?? text;
  const detail = 'Several are called so; send the id of one of them, see /v3/admin/names.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer, detail }] });
}
