import { type Fields, list, object, oneOf, text } from '../shared/eventFields.ts';
import { isLoopback } from '../shared/hosts.ts';
import { choiceOf, recordOf, textOf, upTo } from '../shared/requestFields.ts';
import type { Setting } from '../shared/settings.ts';

/** Types of events a relying party is told of, each about what concerns it (docs/events.md). */
export const webhookEventTypes = [
  'session.completed',
  'certificate.revoked',
  'device.ended',
  'consent.withdrawn',
  'right.changed',
  'document.signed',
  'approval.waiting',
] as const;

export type WebhookEventType = (typeof webhookEventTypes)[number];

const webhook = {
  /** An address, as URLs write it. */
  address: text,
  /** Types of the events sent there; empty: all. */
  events: list(oneOf(webhookEventTypes)),
};

/** An address that events of a relying party are sent to. */
export type Webhook = Fields<typeof webhook>;

const requested = recordOf({
  address: textOf(255),
  events: choiceOf(webhookEventTypes).default([]),
});

/** Addresses of a relying party, each once. @param atMost how many */
export function webhooksOf(atMost: number): Setting<readonly Webhook[]> {
  return {
    kind: 'entries',
    event: list(object(webhook)),
    request: upTo(atMost, requested),
    answer: list(object(webhook)),
    initial: [],
    usable(given) {
      const value = given.map((each) => ({ ...each, address: hrefOf(each.address) }));
      const known = value.map(({ address }) => address);
      const faults = value.flatMap(({ address }, index) =>
        [faultOfAddress(address), twice(known, index)]
          .filter((fault) => fault !== null)
          .map((detail) => ({ index, detail })),
      );
      return faults.length > 0 ? { faults } : { value };
    },
  };
}

/** An address as it is kept. */
export const hrefOf = (given: string) => (URL.canParse(given) ? new URL(given).href : given);

/** Fault of an address: https, or http on the machine itself for development. */
export function faultOfAddress(given: string): string | null {
  const address = URL.canParse(given) ? new URL(given) : null;
  if (address === null) return 'Must be a web address.';
  const { protocol, hostname, username, password, hash } = address;
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
    return 'Must be an https address.';
  }
  if (username !== '' || password !== '' || hash !== '') {
    return 'Must not have credentials or a fragment.';
  }
  return null;
}

function twice(addresses: readonly string[], index: number): string | null {
  return addresses.indexOf(addresses[index] ?? '') < index ? 'Named twice.' : null;
}
