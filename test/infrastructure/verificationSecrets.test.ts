import { expect } from 'chai';
import { createVerificationSecrets } from '../../infrastructure/codec/verificationSecrets.ts';

const terms = {
  verificationId: '0b6a9d5e-7f0f-4a57-9d0c-1f4a2f7d9c11',
  method: 'passport',
  attemptsAllowed: 20,
  startedAt: '2026-01-01T00:00:00.123Z',
  expiresAt: '2026-01-01T01:00:00.123Z',
} as const;
const secrets = createVerificationSecrets(Buffer.alloc(32, 1));
const secret = secrets.issue(terms);

describe('Secrets of identity verifications', () => {
  it('carry the terms of the verification they were issued for', () => {
    expect(secret).to.match(/^[A-Za-z0-9_-]{43}$/);
    expect(secrets.read(terms.verificationId, secret)).to.deep.equal(terms);
  });

  it('say nothing of another verification or to another installation', () => {
    expect(secrets.read('0b6a9d5e-7f0f-4a57-9d0c-1f4a2f7d9c12', secret)).to.equal(null);
    const others = createVerificationSecrets(Buffer.alloc(32, 2));
    expect(others.read(terms.verificationId, secret)).to.equal(null);
  });

  it('do not survive a change of any bit', () => {
    const bytes = Buffer.from(secret, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(secrets.read(terms.verificationId, changed.toString('base64url'))).to.equal(null);
    }
    expect(secrets.read(terms.verificationId, '')).to.equal(null);
  });
});
