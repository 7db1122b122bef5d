import { z } from 'zod';
import {
  type Directory,
  DirectoryFailure,
  type DirectoryPerson,
} from '../../application/directory/ports/directory.ts';
import type { OrganizationRecord } from '../../application/directory/ports/organizationRegistry.ts';
import { faultOfDisplayed } from '../../domain/shared/requestFields.ts';
import { readPersonIdentifier, readRegister } from '../../domain/shared/etsi.ts';
import { readUpTo } from '../boundedBody.ts';

export interface HttpDirectoryOptions {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; omitted: no header. */
  readonly token?: string | undefined;
  readonly timeoutMs: number;
  /** Called after every request. @param status the HTTP status, or `error` without a complete response */
  readonly onCalled?: (operation: string, status: string, seconds: number) => void;
}

/** Largest response accepted, bytes. */
const LONGEST_ANSWER = 65_536;

const text = z
  .string()
  .max(500)
  .nullish()
  .transform((given) => given?.trim() || null);
/** A number, or its digits; anything else is none. */
const coreId = z
  .union([
    z.int().min(0),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .nullish()
  .catch(null);

const personEntry = z.object({
  civil_id: z
    .string()
    .regex(/^\d{12}$/)
    .nullish(),
  core_id: coreId,
  name: z.string().min(1).max(500),
  email: text,
  phone: text,
  registration_number: z.string(),
});

const organizationEntry = z.object({
  core_id: coreId,
  name: z.string().min(1).max(500),
  legal_name: text,
  registration_number: z.string(),
  email: text,
  phone: text,
  address: text,
  affiliates: z.array(z.string().max(40)).max(1000).nullish(),
});

/**
 * A directory backed by a registry service, without caching: a timeout, an oversized response or an entry of another
 * subject is a failure. "Not found" has many forms: 404, an empty body, `null`, `{}`, a list without entries, `status:
 * false`, or an error code.
 */
export function createHttpDirectory(options: HttpDirectoryOptions): Directory {
  async function organization(register: string) {
    const answer = await ask(options, 'organisation', register);
    if (answer === null) return null;
    const entry = valid(organizationEntry, answer);
    const found = toOrganization(entry);
    if (found.register !== register) {
      throw new DirectoryFailure("The registry's answer is about another subject.");
    }
    return { organization: found, affiliates: entry.affiliates ?? null };
  }

  return {
    async person(identifier) {
      const asked =
        identifier.type === 'civilId' ? identifier.civilId : identifier.registrationNumber;
      const entry = await ask(options, 'person', asked);
      if (entry === null) return null;
      const person = toPerson(valid(personEntry, entry));
      const isAnswer =
        identifier.type === 'civilId'
          ? person.civilId === null || person.civilId === asked
          : person.registrationNumber === asked;
      if (!isAnswer) throw new DirectoryFailure("The registry's answer is about another subject.");
      return person;
    },
    async organization(register) {
      const found = await organization(register);
      if (found === null) return null;
      expectDisplayable(found.organization);
      return found.organization;
    },
    async isAffiliate(register, registrationNumber) {
      const affiliates = (await organization(register))?.affiliates ?? null;
      const isOwn = (each: string) =>
        each.normalize('NFC').trim().toLowerCase() === registrationNumber;
      return affiliates === null ? null : affiliates.some(isOwn);
    },
  };
}

function toPerson(entry: z.output<typeof personEntry>): DirectoryPerson {
  const identifier = readPersonIdentifier(entry.registration_number);
  if (identifier?.type !== 'registrationNumber') throw notUnderstood();
  return {
    civilId: entry.civil_id ?? null,
    coreId: entry.core_id ?? null,
    name: entry.name,
    email: entry.email,
    phone: entry.phone,
    registrationNumber: identifier.registrationNumber,
  };
}

function toOrganization(entry: z.output<typeof organizationEntry>): OrganizationRecord {
  const register = readRegister(entry.registration_number);
  if (register === null) throw notUnderstood();
  return {
    register,
    name: entry.name,
    legalName: entry.legal_name ?? entry.name,
    coreId: entry.core_id ?? null,
    email: entry.email,
    phone: entry.phone,
    address: entry.address,
  };
}

/** Refuses names that are not seen or read otherwise than they are stored. @throws DirectoryFailure */
function expectDisplayable({ name, legalName }: OrganizationRecord): void {
  const fault = faultOfDisplayed(name, 'one line') ?? faultOfDisplayed(legalName, 'one line');
  if (fault === null) return;
  throw new DirectoryFailure(`The registry's name of the organization: ${fault}`);
}

/** The entry in the response; null when there is none. */
async function ask(
  options: HttpDirectoryOptions,
  operation: 'person' | 'organisation',
  number: string,
): Promise<unknown> {
  const { url, token, timeoutMs, onCalled } = options;
  const started = performance.now();
  let status = 'error';
  try {
    const response = await fetch(`${url}/${operation}?reg_no=${encodeURIComponent(number)}`, {
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const bytes = await readUpTo(response, LONGEST_ANSWER);
    status = String(response.status);
    if (response.status === 404 || response.status === 204) return null;
    if (!response.ok) throw new DirectoryFailure(`The registry answered ${response.status}.`);
    return entryIn(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof DirectoryFailure) throw error;
    // The address contains the identifier, and errors are logged: no cause.
    throw new DirectoryFailure('The registry did not answer.');
  } finally {
    onCalled?.(operation, status, (performance.now() - started) / 1000);
  }
}

const envelope = z.looseObject({
  status: z.unknown().optional(),
  code: z.union([z.string().max(100), z.number()]).nullish(),
  data: z.unknown().optional(),
  result: z.unknown().optional(),
});

const NOT_FOUND = /^404$|not.?found|^no.?data$|^empty$/i;

/** @throws DirectoryFailure */
function entryIn(body: string): unknown {
  if (body.trim() === '') return null;
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw notUnderstood();
  }
  if (isNothing(answer)) return null;
  const { status, code, data, result, ...bare } = valid(envelope, answer);
  if (status === false || NOT_FOUND.test(String(code))) return null;
  const isBare = 'name' in bare;
  const isEnvelope = data !== undefined || result !== undefined;
  // Neither an entry nor an envelope of one: an error sent with status 200.
  if (!isBare && !isEnvelope) throw notUnderstood();
  const entry = isBare ? bare : (data ?? result);
  return isNothing(entry) ? null : entry;
}

function isNothing(answer: unknown): boolean {
  if (answer === undefined || answer === null || answer === false || answer === '') return true;
  return typeof answer === 'object' && Object.keys(answer).length === 0;
}

function valid<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw notUnderstood();
  return parsed.data;
}

function notUnderstood(): DirectoryFailure {
  return new DirectoryFailure('The answer of the registry is not understood.');
}
