import { sha256 } from '../shared/digest.ts';
import type { FlowType } from './events.ts';

/** Fields of a nested authentication's payload (contract §4). Texts are verbatim, neither decoded nor normalized. */
export interface AuthenticationPayloadParts {
  readonly scheme: string;
  /** Base64. */
  readonly serverRandom: string;
  /** Base64. */
  readonly rpChallenge: string;
  /** 43 characters base64url. */
  readonly userChallenge: string;
  readonly relyingPartyName: string;
  /** Empty without a broker. */
  readonly brokerName: string;
  /** Base64; hashed as text. */
  readonly interactions: string;
  readonly interactionTypeUsed: string;
  /** Empty when none was sent. */
  readonly initialCallbackUrl: string;
  readonly flowType: FlowType;
}

/** Signed payload of a nested authentication: eleven text fields joined by `|`, UTF-8 (contract §4). */
export function authenticationPayload(parts: AuthenticationPayloadParts): Buffer {
  const fields = [
    parts.scheme,
    'ACSP_V2',
    parts.serverRandom,
    parts.rpChallenge,
    parts.userChallenge,
    Buffer.from(parts.relyingPartyName, 'utf8').toString('base64'),
    Buffer.from(parts.brokerName, 'utf8').toString('base64'),
    sha256(parts.interactions).toString('base64'),
    parts.interactionTypeUsed,
    parts.initialCallbackUrl,
    parts.flowType,
  ];
  return Buffer.from(fields.join('|'), 'utf8');
}
