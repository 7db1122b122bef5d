import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { authenticationPayload } from '../../domain/session/authenticationPayload.ts';
import { acspV2Payload, verificationCode } from '../../domain/shared/digest.ts';
import { knownAnswers, nodeHash } from '../support/pki/knownAnswers.ts';

describe('The service, against the known answers,', () => {
  for (const { challengeOrDigest, type, value } of knownAnswers.verificationCode) {
    it(`computes the verification code ${value}`, () => {
      const signed = Buffer.from(challengeOrDigest, 'base64');
      expect(verificationCode(signed, type)).to.equal(value);
    });
  }

  for (const known of knownAnswers.flatAuthenticationPayload) {
    it('builds the length-prefixed payload', () => {
      const [challenge, spki] = [known.rpChallenge, known.spki].map((text) =>
        Buffer.from(text, 'base64'),
      );
      const payload = acspV2Payload(challenge ?? Buffer.alloc(0), spki ?? Buffer.alloc(0));
      expect(payload.toString('base64')).to.equal(known.payload);
      expect(hashOf(payload, known.hashAlgorithm)).to.equal(known.digest);
    });
  }

  for (const known of knownAnswers.nestedAuthenticationPayload) {
    it(`builds the eleven-field payload of a ${known.flowType} flow`, () => {
      const payload = authenticationPayload(known);
      expect(payload.toString('utf8')).to.equal(known.payload);
      expect(hashOf(payload, known.hashAlgorithm)).to.equal(known.digest);
    });
  }
});

function hashOf(payload: Buffer, hashAlgorithm: string): string {
  return createHash(nodeHash(hashAlgorithm)).update(payload).digest('base64');
}
