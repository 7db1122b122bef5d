import { address } from '../shared/requestFields.ts';
import type { FieldFault } from '../shared/refusal.ts';
import { optional, word } from '../shared/settings.ts';

/**
 * Delivery modes of backchannel authentication requests (OpenID Connect CIBA Core §5): the client may make none; it polls
 * for the result; it is pinged and then asks.
 */
export const backchannelModes = ['none', 'poll', 'ping'] as const;

export type BackchannelMode = (typeof backchannelModes)[number];

/** Settings of a client that asks citizens on their phones, without a browser (CIBA Core §4). */
export const backchannelSettings = {
  backchannelTokenDeliveryMode: word(backchannelModes, 'none'),
  /** Address of pings; null without them. */
  backchannelClientNotificationEndpoint: optional(address),
};

/** Faults of the settings (CIBA Core §4). @param isPublic the client has neither a secret nor keys */
export function faultsOfBackchannel(
  {
    backchannelTokenDeliveryMode: mode,
    backchannelClientNotificationEndpoint: endpoint,
  }: {
    readonly backchannelTokenDeliveryMode: BackchannelMode;
    readonly backchannelClientNotificationEndpoint: string | null;
  },
  isPublic: boolean,
): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (mode !== 'none' && isPublic) {
    const detail = 'A client with the method none cannot ask citizens on their phones.';
    faults.push({ pointer: '/backchannelTokenDeliveryMode', detail });
  }
  if ((mode === 'ping') !== (endpoint !== null)) {
    const detail = mode === 'ping' ? 'Required with ping.' : 'Allowed only with ping.';
    faults.push({ pointer: '/backchannelClientNotificationEndpoint', detail });
  }
  return faults;
}
