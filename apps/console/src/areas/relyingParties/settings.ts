import type { AnswerOf } from '../../shared/api/useRead.ts';
import {
  flag,
  limit,
  line,
  list,
  name,
  other,
  records,
  type Values,
} from '../../shared/settings/settings.ts';

export type Party = AnswerOf<'/v3/admin/relying-parties/{id}'>;
export type Permission = Party['permissions'][number];
type Webhook = Party['webhooks'][number];

export const allPermissions: readonly Permission[] = [
  ...(['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ', 'RISK_SIGNALS'] as const),
];

const separators = /[\s,;]+/;

/** Settings of a relying party, each with how it is edited and shown; its words are in texts.ts. */
export const settings = {
  relyingPartyName: name(),
  permissions: other<Permission[]>(['AUTH', 'SIGN']),
  callbackHosts: list(separators),
  ipAllowlist: list(separators, { otherwise: 'anywhere' }),
  clientCertificates: list(separators, { otherwise: 'notRequired' }),
  requestsPerMinute: limit({ otherwise: 'general' }),
  firstParty: flag({ isHalf: true }),
  smartIdStatuses: flag({ isHalf: true }),
  webhooks: records(
    {
      lineOf: ({ address, events }: Webhook) => [address, ...events].join(' '),
      recordOf(line): Webhook {
        const [address = '', ...events] = line.split(separators);
        return { address, events: events as Webhook['events'] };
      },
    },
    { otherwise: 'toldNothing' },
  ),
  contactName: line(),
  contactEmail: line({ isHalf: true }),
  contactPhone: line({ isHalf: true }),
};

/** Settings as in the API. */
export type Settings = Values<typeof settings>;
