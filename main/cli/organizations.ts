import type { StatusChange } from '../../application/organization/administration.ts';
import { rightTypes } from '../../domain/representation/events.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { withService } from './openService.ts';
import { organizationOptions } from './settingOptions.ts';
import { say } from './say.ts';

/** Registers an organization. */
export async function register(number: string, name: string, options: object): Promise<void> {
  const { activate } = options as { activate: boolean };
  const settings = { ...organizationOptions.read(options), name };
  await withService(async (service) => {
    const registered = await service.organizations.register({
      register: number,
      ...settings,
      activate,
    });
    say(`Registered ${registered}.`);
  });
}

/** Changes the status of an organization. */
export async function changeStatus(number: string, change: StatusChange): Promise<void> {
  await withService(async (service) => {
    await service.organizations.changeStatus(number, change);
    say('Status changed.');
  });
}

interface GrantOptions {
  readonly right: string;
  readonly role?: string;
  readonly evidence?: string;
  readonly validFrom?: string;
  readonly validTo?: string;
}

/** Grants a person the right to represent an organization. */
export async function grant(number: string, person: string, options: object): Promise<void> {
  const { right, role, evidence, validFrom, validTo } = options as GrantOptions;
  const rightType = rightTypes.find((type) => type === right.toUpperCase());
  if (rightType === undefined) throw new Error(`--right must be one of ${rightTypes.join(', ')}.`);
  await withService(async (service) => {
    await service.organizations.grant(number, person, {
      rightType,
      role: role ?? null,
      source: 'MANUAL',
      evidenceRef: evidence ?? null,
      ...(validFrom === undefined ? {} : { validFrom: isoTime(validFrom) }),
      validTo: validTo === undefined ? null : isoTime(validTo),
    });
    say('Granted.');
  });
}

function isoTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new Error(`Not a time in ISO 8601: ${text}`);
  return time.toISOString();
}

/** Withdraws a right. */
export async function withdraw(number: string, civilId: string): Promise<void> {
  await withService(async (service) => {
    await service.organizations.withdraw(number, civilId);
    say('Withdrawn.');
  });
}

/** Lists organizations, one per line. */
export async function list(): Promise<void> {
  await withService(async (service) => {
    for (const {
      register: number,
      status,
      name,
      nameLatin,
    } of await service.organizations.list()) {
      say(`${number.padEnd(12)}  ${status.padEnd(9)}  ${name}  ${nameLatin ?? ''}`);
    }
  });
}

/** Issues the seal certificate of an organization. */
export async function issueSealCertificate(text: string): Promise<void> {
  const register = readRegister(text);
  if (register === null) throw new Error(`Not a registration number: ${text}`);
  await withService((service) => service.issueSealCertificate(register), { keys: true });
  say('Issued.');
}

/** Lists the audit trail, one event per line. */
export async function audit({
  limit,
  ...filter
}: {
  readonly subject?: string;
  readonly limit: number;
}): Promise<void> {
  await withService(async (service) => {
    for (const entry of await service.organizations.audit(filter, limit)) {
      const { at, type, outcome, actor, subject, details } = entry;
      say(
        `${at.toISOString()}  ${type.padEnd(14)}  ${outcome.padEnd(6)}  ${actor.kind} ${actor.id}  ${subject}  ${JSON.stringify(details)}`,
      );
    }
  });
}
