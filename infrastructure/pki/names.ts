import { latinRegister } from '../../domain/organization/latinRegister.ts';
import type { NameAttribute } from './kernel/name.ts';
import { oid } from './kernel/oids.ts';

/** Longest commonName, characters (RFC 5280 appendix A, ub-common-name). */
export const MAX_COMMON_NAME = 64;

/** Longest other names, characters (RFC 5280 appendix A, ub-name). */
export const MAX_NAME = 32_768;

/** A legal person: a CA (EN 319 412-2 §4.2.3.1), a service of the platform (EN 319 412-3 §4.2.1). */
export function legalPersonName(
  commonName: string,
  organization: { readonly name: string; readonly etsi: string; readonly country: string },
): readonly [NameAttribute, NameAttribute, NameAttribute, NameAttribute] {
  return [
    { type: oid.countryName, value: organization.country },
    { type: oid.organizationName, value: organization.name },
    { type: oid.organizationIdentifier, value: organization.etsi },
    { type: oid.commonName, value: commonName },
  ];
}

/**
 * Name of an organization as the holder of a seal (EN 319 412-3 §4.2.1; specification, Identifiers): its registration
 * number is also the serialNumber, in Latin letters. The common name is truncated to the allowed length; O has the
 * whole name.
 */
export function organizationName({
  name,
  etsi,
}: {
  readonly name: string;
  readonly etsi: string;
}): readonly NameAttribute[] {
  const [country, organization, identifier, commonName] = legalPersonName(
    Array.from(name).slice(0, MAX_COMMON_NAME).join('').trim(),
    { name, etsi, country: etsi.slice(3, 5) },
  );
  const number = etsi.slice('NTRMN-'.length);
  // The lint rejects a number that cannot be transliterated.
  const register = { type: oid.serialNumber, value: latinRegister(number) ?? number };
  return [country, organization, identifier, register, commonName];
}

/**
 * EN 319 412-2 §4.2.4 and EN 319 412-1 §5.1.3: a natural person. The common name begins with the father's name, as is
 * customary in Mongolia, truncated to the allowed length; other attributes have the full names.
 */
export function personName(subject: {
  readonly etsi: string;
  readonly givenName: string;
  readonly surname: string;
}): readonly NameAttribute[] {
  const fullName = Array.from(`${subject.surname} ${subject.givenName}`);
  return [
    { type: oid.countryName, value: subject.etsi.slice(3, 5) },
    { type: oid.surname, value: subject.surname },
    { type: oid.givenName, value: subject.givenName },
    { type: oid.serialNumber, value: subject.etsi },
    { type: oid.commonName, value: fullName.slice(0, MAX_COMMON_NAME).join('').trim() },
  ];
}

const keyword: Readonly<Record<string, string>> = {
  [oid.commonName]: 'CN',
  [oid.surname]: 'SN',
  [oid.serialNumber]: 'serialNumber',
  [oid.countryName]: 'C',
  [oid.organizationName]: 'O',
  [oid.givenName]: 'givenName',
  [oid.organizationIdentifier]: 'organizationIdentifier',
};

/** RFC 4514: last attribute first, special characters escaped. */
export function nameText(attributes: readonly NameAttribute[]): string {
  return attributes
    .map(({ type, value }) => `${keyword[type] ?? type}=${escapeValue(value)}`)
    .reverse()
    .join(',');
}

/** RFC 4514 §2.4. */
function escapeValue(value: string): string {
  return value
    .replaceAll(/[\\",+;<>]/g, '\\$&')
    .replace(/^[ #]/, '\\$&')
    .replace(/ $/, '\\ ');
}
