import { isLoopback } from '../shared/hosts.ts';

/** Types of events a relying party is told of, each about what concerns it (docs/events.md). */
export const webhookEventTypes = [
  'session.completed',
  'certificate.revoked',
  'device.ended',
  'consent.withdrawn',
  'right.changed',
] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

/** An entry of a setting as it is kept, or why it cannot be. */
type Read = { readonly value: string } | { readonly fault: string };

/** Reads an address that events are sent to: https, or http on the machine itself for development. */
export function readWebhookAddress(given: string): Read {
  const address = URL.canParse(given) ? new URL(given) : null;
  if (address === null) return { fault: 'Not an address of the web.' };
  const { protocol, hostname, username, password, hash } = address;
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
    return { fault: 'Not an https address.' };
  }
  if (username !== '' || password !== '' || hash !== '') {
    return { fault: 'Must not have credentials or a fragment.' };
  }
  return { value: address.href };
}

/** Reads the name of a type of events. */
export function readWebhookEventType(given: string): Read {
  return (webhookEventTypes as readonly string[]).includes(given)
    ? { value: given }
    : { fault: `Not a type of events: ${webhookEventTypes.join(', ')}.` };
}
