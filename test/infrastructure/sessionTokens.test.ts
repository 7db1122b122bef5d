import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createSessionTokens } from '../../infrastructure/codec/sessionTokens.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

describe('The tokens of device links', () => {
  const masterKey = randomBytes(32);
  const tokens = createSessionTokens({ masterKey, randomness: systemRandomness });

  it('lead back to their session in every process with the same master key', () => {
    const elsewhere = createSessionTokens({ masterKey, randomness: systemRandomness });
    const ids = [
      '00000000-0000-4000-8000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      ...Array.from({ length: 200 }, () => randomUUID()),
    ];
    for (const id of ids) {
      const token = tokens.tokenFor(id);
      expect(token).to.match(/^[A-Za-z0-9]{24}$/);
      expect(elsewhere.sessionIdOf(token)).to.equal(id);
    }
  });

  it('are different each time and do not show the id', () => {
    const id = randomUUID();
    const made = new Set(Array.from({ length: 50 }, () => tokens.tokenFor(id)));
    expect(made.size).to.be.greaterThan(40);
    const other = createSessionTokens({ masterKey: randomBytes(32), randomness: systemRandomness });
    expect(other.sessionIdOf(tokens.tokenFor(id))).not.to.equal(id);
  });

  it('reject texts that are not tokens', () => {
    for (const text of [
      '',
      'a',
      '-'.repeat(24),
      'z'.repeat(24),
      'a'.repeat(25),
      `${'a'.repeat(23)}é`,
    ]) {
      expect(tokens.sessionIdOf(text), text).to.equal(null);
    }
  });
});
