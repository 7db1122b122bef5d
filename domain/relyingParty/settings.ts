import { readAddressBlock, readHostAndPort, writeHostAndPort } from '../shared/hosts.ts';
import { emailAddress, phoneNumber, visibleText } from '../shared/requestFields.ts';
import {
  choices,
  entries,
  flag,
  initialOf,
  limit,
  line,
  optional,
  pickSettings,
  type SettingValues,
  usableOf,
} from '../shared/settings.ts';
import { webhooksOf } from './webhooks.ts';

/** Permissions of a relying party; a first-party one has all (specification, RP registration). */
export const permissions = [
  ...(['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ', 'RISK_SIGNALS'] as const),
] as const;

export type Permission = (typeof permissions)[number];

/** Settings a registration fixes and an operator may later edit. Their order is that of stored events. */
export const relyingPartySettings = {
  /** At most 32 bytes UTF-8. */
  name: line(64),
  /** Hosts an App2App return URL may have, as URLs write them: lower case, ASCII, without the port of https. */
  callbackHosts: entries(100, (given) => entry(hostOf(given), given)),
  /** Addresses or CIDR blocks calls may come from; empty: any. */
  ipAllowlist: entries(1000, (given) => {
    const read = readAddressBlock(given);
    return 'block' in read ? { value: read.block } : { fault: `${read.fault}.` };
  }),
  /** SHA-256 fingerprints (lower-case hexadecimal) of client certificates accepted; empty: none needed. */
  clientCertificates: entries(100, (given) => entry(fingerprint(given), given)),
  permissions: choices(permissions),
  firstParty: flag(),
  /** Session-creating requests allowed a minute; null: the platform's default. */
  requestsPerMinute: limit(1_000_000_000),
  /** True when its clients expect the HTTP statuses of Smart-ID: 471, 472, 480, 580. */
  smartIdStatuses: flag(),
  /** Addresses its events are sent to, each with the types it is sent; empty: none are. */
  webhooks: webhooksOf(10),
  /** Office whom operators write to or call about it; no person, since what is said here stays in the log. */
  contactName: optional(visibleText(100)),
  contactEmail: optional(emailAddress(254)),
  contactPhone: optional(phoneNumber),
};

export type RelyingPartySettings = SettingValues<typeof relyingPartySettings>;

/** The settings of a relying party about which nothing was said; its name is empty. */
export const initialRelyingPartySettings = initialOf(relyingPartySettings);

/** Extracts the settings from what has other fields too, in a fixed order. */
export function settingsIn(from: RelyingPartySettings): RelyingPartySettings {
  return pickSettings(relyingPartySettings, from);
}

/** Settings normalized for the guards' comparison: see {@link usableOf}. */
export function usableSettings<Given extends Partial<RelyingPartySettings>>(given: Given): Given {
  return usableOf(relyingPartySettings, given);
}

function entry(value: string | null, given: string) {
  return value === null ? { fault: `Not usable: ${given}` } : { value };
}

function hostOf(given: string): string | null {
  const read = readHostAndPort(given);
  return read === null ? null : new URL(`https://${writeHostAndPort(read.host, read.port)}`).host;
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

function fingerprint(given: string): string | null {
  const folded = given.replaceAll(':', '').toLowerCase();
  return SHA256_HEX.test(folded) ? folded : null;
}
