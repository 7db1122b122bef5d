import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import { readAddressBlock, readHostAndPort, writeHostAndPort } from '../../domain/shared/hosts.ts';
import { type FieldFault, Refusal } from '../../domain/shared/refusal.ts';

const SHA256_HEX = /^[0-9a-f]{64}$/;

const listNames = ['callbackHosts', 'ipAllowlist', 'clientCertificates'] as const;

/** List settings with the parser of an entry: its value, or a sentence that says why it has none. */
const lists: Readonly<Record<(typeof listNames)[number], (text: string) => Entry>> = {
  callbackHosts: (text) => entry(hostOf(text), `Not usable: ${text}`),
  ipAllowlist: (text) => {
    const read = readAddressBlock(text);
    return 'block' in read ? { value: read.block } : { fault: `${read.fault}.` };
  },
  clientCertificates: (text) => entry(fingerprint(text), `Not usable: ${text}`),
};

type Entry = { readonly value: string } | { readonly fault: string };

function entry(value: string | null, fault: string): Entry {
  return value === null ? { fault } : { value };
}

/**
 * Settings normalized for the guards' comparison: hosts as in URLs (lower case, international names in ASCII, no
 * default port), fingerprints as lower-case hexadecimal.
 *
 * @param settings all of them, or those to change
 * @throws Refusal INVALID_REQUEST naming every entry that could never match
 */
export function usableSettings<Settings extends Partial<RelyingPartySettings>>(
  settings: Settings,
): Settings {
  const faults: FieldFault[] = [];
  const usable: Partial<Record<(typeof listNames)[number], readonly string[]>> = {};
  for (const name of listNames) {
    const entries = settings[name];
    if (entries === undefined) continue;
    usable[name] = entries.map((given, index) => {
      const read = lists[name](given);
      if ('value' in read) return read.value;
      faults.push({ pointer: `/${name}/${index}`, detail: read.fault });
      return given;
    });
  }
  const { requestsPerMinute = null } = settings;
  if (
    requestsPerMinute !== null &&
    !(Number.isInteger(requestsPerMinute) && requestsPerMinute > 0)
  ) {
    faults.push({ pointer: '/requestsPerMinute', detail: 'Not a whole number above 0.' });
  }
  if (faults.length > 0) {
    throw new Refusal('INVALID_REQUEST', {
      detail: faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '),
      errors: faults,
    });
  }
  return { ...settings, ...usable };
}

/** A host as URLs write it, with a port unless it is that of https. */
function hostOf(text: string): string | null {
  const read = readHostAndPort(text);
  return read === null ? null : new URL(`https://${writeHostAndPort(read.host, read.port)}`).host;
}

function fingerprint(text: string): string | null {
  const folded = text.replaceAll(':', '').toLowerCase();
  return SHA256_HEX.test(folded) ? folded : null;
}
