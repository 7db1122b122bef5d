import { readFileSync } from 'node:fs';
import type { DeviceLinkType, FlowType } from '../../../domain/session/events.ts';
import type { SignatureProtocol } from '../../../domain/session/signing.ts';
import type { VerificationCodeType } from '../../../domain/shared/digest.ts';

/** The published vectors and those derived from them, `test/fixtures/knownAnswers.json`; base64 unless it says otherwise. */
export interface KnownAnswers {
  readonly verificationCode: readonly {
    readonly challengeOrDigest: string;
    readonly type: VerificationCodeType;
    readonly value: string;
  }[];
  readonly flatAuthenticationPayload: readonly {
    readonly rpChallenge: string;
    readonly spki: string;
    readonly payload: string;
    readonly hashAlgorithm: string;
    readonly digest: string;
  }[];
  readonly nestedAuthenticationPayload: readonly {
    readonly scheme: string;
    readonly serverRandom: string;
    readonly rpChallenge: string;
    /** Base64url. */
    readonly userChallenge: string;
    /** Text. */
    readonly relyingPartyName: string;
    /** Text. */
    readonly brokerName: string;
    readonly interactions: string;
    readonly interactionTypeUsed: string;
    readonly initialCallbackUrl: string;
    readonly flowType: FlowType;
    /** Text. */
    readonly payload: string;
    /** For example `SHA-512`. */
    readonly hashAlgorithm: string;
    readonly digest: string;
  }[];
  readonly userChallenge: readonly { readonly verifier: string; readonly userChallenge: string }[];
  readonly authCode: readonly {
    readonly scheme: string;
    readonly signatureProtocol: SignatureProtocol;
    readonly challengeOrDigest: string;
    /** Text. */
    readonly relyingPartyName: string;
    /** Text. */
    readonly brokerName: string;
    readonly interactions: string;
    readonly initialCallbackUrl: string;
    readonly sessionSecret: string;
    readonly deviceLinkBase: string;
    readonly deviceLinkType: DeviceLinkType;
    readonly elapsedSeconds?: number;
    readonly sessionToken: string;
    readonly sessionType: 'auth' | 'sign' | 'cert';
    readonly lang: string;
    readonly unsignedLink: string;
    /** Base64url. */
    readonly authCode: string;
  }[];
  readonly sessionSecretDigest: readonly {
    readonly sessionSecret: string;
    /** Base64url. */
    readonly sessionSecretDigest: string;
  }[];
}

export const knownAnswers = JSON.parse(
  readFileSync('test/fixtures/knownAnswers.json', 'utf8'),
) as KnownAnswers;

/** Hash algorithms of the fixture by their names in Node. */
export function nodeHash(hashAlgorithm: string): string {
  return hashAlgorithm.replace('SHA-', 'sha');
}
