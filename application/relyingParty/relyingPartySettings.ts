import type { RelyingPartySettings } from '../../domain/relyingParty/events.ts';
import { type FieldFault, Refusal } from '../../domain/shared/refusal.ts';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

/** List settings with the parser of an entry; null: invalid. */
const lists = {
  callbackHosts: hostOf,
  ipAllowlist: addressOrBlock,
  clientCertificates: fingerprint,
};

const listNames = ['callbackHosts', 'ipAllowlist', 'clientCertificates'] as const;

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
    usable[name] = entries.map((entry, index) => {
      const value = lists[name](entry);
      if (value === null)
        faults.push({ pointer: `/${name}/${index}`, detail: `Not usable: ${entry}` });
      return value ?? entry;
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

function hostOf(text: string): string | null {
  if (!URL.canParse(`https://${text}`)) return null;
  const url = new URL(`https://${text}`);
  const isHostOnly = url.href === `https://${url.host}/` && !/[/\\?#@\s]/.test(text);
  return isHostOnly ? url.host : null;
}

function addressOrBlock(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = addressBits(address);
  if (bits === null || rest.length > 0) return null;
  if (prefix === undefined) return text;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? text : null;
}

/** Length of the address in bits; null when malformed. */
function addressBits(text: string): 32 | 128 | null {
  if (IPV4.test(text)) return 32;
  return text.includes(':') && URL.canParse(`http://[${text}]/`) ? 128 : null;
}

function fingerprint(text: string): string | null {
  const folded = text.replaceAll(':', '').toLowerCase();
  return SHA256_HEX.test(folded) ? folded : null;
}
