import {
  permissions,
  relyingPartySettings,
  type RelyingPartySettings,
  settingsIn,
  usableSettings,
} from '../../domain/relyingParty/settings.ts';
import { type Webhook, webhookEventTypes } from '../../domain/relyingParty/webhooks.ts';
import { settingOptions } from './settingOptions.ts';

/** The option of each setting but the name, which is an argument; without any, citizens can log in and sign. */
export const relyingPartyOptions = settingOptions(
  relyingPartySettings,
  {
    callbackHosts: ['--callback-host <host...>', 'hosts an App2App return URL may have'],
    permissions: ['--permission <name...>', permissions.join(', ')],
    firstParty: ['--first-party', 'unrestricted: one of our own services'],
    ipAllowlist: ['--allow-ip <address...>', 'addresses or CIDR blocks calls may come from'],
    clientCertificates: [
      '--client-certificate <sha256...>',
      'fingerprints of client certificates accepted',
    ],
    requestsPerMinute: ['--requests-per-minute <count>', 'session-creating requests a minute'],
    smartIdStatuses: ['--smart-id-statuses', 'answer with 471, 472, 480 and 580 as Smart-ID does'],
    webhooks: [
      '--webhook <address...>',
      'addresses its events are sent to, each with the types it is sent: "https://… device.ended"; without: all',
      readWebhook,
    ],
    contactName: ['--contact-name <name>', 'office to write to or call about it'],
    contactEmail: ['--contact-email <address>', 'e-mail address of that office'],
    contactPhone: ['--contact-phone <number>', 'telephone number of that office'],
  },
  { permissions: ['AUTH', 'SIGN'] },
);

/**
 * The settings of a relying party as options say them.
 *
 * @throws Error naming permissions that are none
 * @throws Refusal INVALID_REQUEST naming values that could never match
 */
export function settingsFromOptions(name: string, given: object): RelyingPartySettings {
  const settings = { ...relyingPartyOptions.read(given), name };
  const unknown = settings.permissions.filter((each) => !permissions.includes(each));
  if (unknown.length > 0) {
    throw new Error(`Unknown permission ${unknown.join(', ')}; known: ${permissions.join(', ')}`);
  }
  return usableSettings(settingsIn(settings));
}

/** @throws Error naming types of events that are none */
function readWebhook(given: string): Webhook {
  const [address = '', ...types] = given.split(/[\s,]+/).filter((word) => word !== '');
  const events = types.map((type) => {
    const known = webhookEventTypes.find((each) => each === type);
    if (known !== undefined) return known;
    throw new Error(`Unknown type of events ${type}; known: ${webhookEventTypes.join(', ')}`);
  });
  return { address, events };
}
