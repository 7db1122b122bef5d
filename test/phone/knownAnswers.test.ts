import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { base64 } from '../../apps/phone/bytes.ts';
import { verificationCode } from '../../apps/phone/crypto.ts';
import { readScannedLink, returnAddress } from '../../apps/phone/deviceLink.ts';
import { acspV2Layout } from '../../apps/phone/layouts.ts';
import { nestedPayload, userChallengeOf } from '../../apps/phone/signing.ts';
import { knownAnswers, nodeHash } from '../support/pki/knownAnswers.ts';

describe('The phone, against the known answers,', () => {
  for (const { challengeOrDigest, type, value } of knownAnswers.verificationCode) {
    it(`computes the verification code ${value}`, async () => {
      const signed = Buffer.from(challengeOrDigest, 'base64');
      expect(await verificationCode(signed, type)).to.equal(value);
    });
  }

  for (const { rpChallenge, spki, payload } of knownAnswers.flatAuthenticationPayload) {
    it('builds the length-prefixed payload', () => {
      const built = acspV2Layout(Buffer.from(rpChallenge, 'base64'), Buffer.from(spki, 'base64'));
      expect(base64(built)).to.equal(payload);
    });
  }

  for (const { interactions, ...known } of knownAnswers.nestedAuthenticationPayload) {
    it(`builds the eleven-field payload of a ${known.flowType} flow`, async () => {
      const payload = await nestedPayload({
        ...known,
        interactionsAsSent: interactions,
        signatureAlgorithm: 'rsassa-pss',
      });
      expect(Buffer.from(payload).toString('utf8')).to.equal(known.payload);
      const hash = createHash(nodeHash(known.hashAlgorithm)).update(payload).digest('base64');
      expect(hash).to.equal(known.digest);
    });
  }

  for (const { verifier, userChallenge } of knownAnswers.userChallenge) {
    it('makes the userChallenge of a verifier', async () => {
      expect(await userChallengeOf(verifier)).to.equal(userChallenge);
    });
  }

  for (const { unsignedLink, authCode, deviceLinkType } of knownAnswers.authCode) {
    it(`takes the signed ${deviceLinkType} link as it is`, () => {
      const link = `${unsignedLink}&authCode=${authCode}`;
      const scanned = { type: 'signed', link, kind: 'AUTHENTICATION' };
      expect(readScannedLink(`${link}\n`)).to.deep.equal(scanned);
    });
  }

  for (const { sessionSecretDigest } of knownAnswers.sessionSecretDigest) {
    for (const { verifier: userChallengeVerifier } of knownAnswers.userChallenge) {
      it('appends the digest of the secret and the verifier to the return address', () => {
        const proofs = { sessionSecretDigest, userChallengeVerifier };
        expect(
          returnAddress('https://rp.example.com/auth/eid/callback?state=a%20b', proofs),
        ).to.equal(
          'https://rp.example.com/auth/eid/callback?state=a%20b' +
            `&sessionSecretDigest=${sessionSecretDigest}&userChallengeVerifier=${userChallengeVerifier}`,
        );
      });
    }
  }
});
