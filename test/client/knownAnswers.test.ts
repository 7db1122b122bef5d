import { expect } from 'chai';
import {
  buildAcspV2Payload,
  buildNestedPayload,
  sessionSecretDigest,
  type SentRequest,
  signedDeviceLink,
  userChallengeOf,
  verificationCode,
} from '../../client/index.ts';
import { type KnownAnswers, knownAnswers as known } from '../support/pki/knownAnswers.ts';

type Names = Pick<
  KnownAnswers['authCode'][number],
  'scheme' | 'relyingPartyName' | 'brokerName' | 'interactions' | 'initialCallbackUrl'
>;

/** The request of a vector, as the library keeps it. */
function sent(names: Names, changes: Partial<SentRequest>): SentRequest {
  return {
    schemeName: names.scheme,
    signatureProtocol: 'ACSP_V2',
    flow: 'device-link',
    challengeOrDigest: '',
    relyingPartyName: names.relyingPartyName,
    brokeredRpName: names.brokerName,
    interactions: names.interactions,
    initialCallbackUrl: names.initialCallbackUrl,
    signatureAlgorithm: 'rsassa-pss',
    hashAlgorithm: 'SHA-512',
    ...changes,
  };
}

describe('The known answers of the wire protocol, in the client library', () => {
  it('hold for verification codes', () => {
    for (const { challengeOrDigest, type, value } of known.verificationCode) {
      const generation = type === 'alphaNumeric4' ? 'G1' : 'G2';
      expect(verificationCode(challengeOrDigest, generation)).to.equal(value);
    }
  });

  it('hold for the payload of the first generation', () => {
    for (const { rpChallenge, spki, payload } of known.flatAuthenticationPayload) {
      const built = buildAcspV2Payload(rpChallenge, Buffer.from(spki, 'base64'));
      expect(built.toString('base64')).to.equal(payload);
    }
  });

  it('hold for the payload of the second generation', () => {
    for (const { payload, rpChallenge, ...answer } of known.nestedAuthenticationPayload) {
      const request = sent(answer, { challengeOrDigest: rpChallenge });
      expect(buildNestedPayload(request, answer).toString('utf8')).to.equal(payload);
    }
  });

  it('hold for signed device links', () => {
    for (const answer of known.authCode) {
      const { challengeOrDigest, signatureProtocol, deviceLinkType: type, lang } = answer;
      const { sessionSecret, sessionToken, deviceLinkBase, elapsedSeconds = 0 } = answer;
      const session = {
        sessionId: 's1',
        vc: '00000',
        rpChallenge: challengeOrDigest,
        receivedAt: 0,
        sessionSecret,
        sessionToken,
        deviceLinkBase,
        request: sent(answer, { challengeOrDigest, signatureProtocol }),
      };
      const now = new Date(elapsedSeconds * 1000 + 999);
      expect(signedDeviceLink(session, { type, lang, now })).to.equal(
        `${answer.unsignedLink}&authCode=${answer.authCode}`,
      );
    }
  });

  it('hold for what a callback carries', () => {
    for (const { sessionSecret, sessionSecretDigest: expected } of known.sessionSecretDigest) {
      expect(sessionSecretDigest(sessionSecret)).to.equal(expected);
    }
    for (const { verifier, userChallenge } of known.userChallenge) {
      expect(userChallengeOf(verifier)).to.equal(userChallenge);
    }
  });
});
