import { expect } from 'chai';
import { Secret, URI } from 'otpauth';
import { Overloaded } from '../../application/ports/faults.ts';
import { createScryptPasswords } from '../../infrastructure/credentials/scryptPasswords.ts';
import { createTotpCodes } from '../../infrastructure/credentials/totpCodes.ts';
import { rejection } from '../support/assertions/rejection.ts';

const cheap = { ln: 4, r: 8, p: 1 };

describe('Passwords', () => {
  const passwords = createScryptPasswords({ cost: cheap });

  it('are kept as salted hashes that name their parameters', async () => {
    const [one, other] = [await passwords.hash('password'), await passwords.hash('password')];
    expect(one).to.match(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.to.equal(other);
    expect(await passwords.verify('password', one)).to.equal(true);
    expect(await passwords.verify('Password', one)).to.equal(false);
  });

  it('are hashed at a cost OWASP recommends', async () => {
    expect(await createScryptPasswords().hash('password')).to.match(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  it('are checked with the parameters they were kept under, and known to be outdated', async () => {
    const older = await createScryptPasswords({ cost: { ln: 5, r: 4, p: 2 } }).hash('password');
    expect(await passwords.verify('password', older)).to.equal(true);
    expect(passwords.isOutdated(older)).to.equal(true);
    expect(passwords.isOutdated(await passwords.hash('password'))).to.equal(false);
  });

  it('are the same in both forms of an accented letter', async () => {
    const hash = await passwords.hash('caf\u00e9 caf\u00e9');
    expect(await passwords.verify('cafe\u0301 cafe\u0301', hash)).to.equal(true);
  });

  it('never match without a hash, as of an unknown or a forgotten operator', async () => {
    for (const hash of [null, '[forgotten]', '$scrypt$ln=4,r=8,p=1$c2FsdA$aGFzaA']) {
      expect(await passwords.verify('password', hash)).to.equal(false);
    }
  });

  it('are verified in turn, also without a hash, and refused when the queue is full', async () => {
    const one = createScryptPasswords({ cost: cheap, parallel: 1, queue: 1 });
    const running = one.hash('password');
    const waiting = one.verify('password', null);
    expect(await rejection(one.verify('password', null))).to.be.instanceOf(Overloaded);
    await Promise.all([running, waiting]);
    expect(await one.verify('password', null)).to.equal(false);
  });
});

describe('The codes of an authenticator', () => {
  const codes = createTotpCodes({ issuer: 'Tamga' });
  const secret = new Secret({ buffer: Uint8Array.from(Buffer.from('12345678901234567890')).buffer })
    .base32;
  const at = (seconds: number) => new Date(seconds * 1000);

  // RFC 6238, appendix B, the last six of eight digits.
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const) {
    it(`are those of RFC 6238 at ${seconds} s, one step either side`, () => {
      const counter = Math.floor(seconds / 30);
      for (const steps of [-1, 0, 1]) {
        expect(codes.counterOf(secret, code, at(seconds + 30 * steps))).to.equal(counter);
      }
      for (const steps of [-2, 2]) {
        expect(codes.counterOf(secret, code, at(seconds + 30 * steps))).to.equal(null);
      }
    });
  }

  it('are six digits, nothing else', () => {
    for (const wrong of ['', '87082', '28708', '94287082', '0x4616a', '２８７０８２', '28708 2']) {
      expect(codes.counterOf(secret, wrong, at(59)), wrong).to.equal(null);
    }
  });

  it('come from an address every authenticator reads', () => {
    const fresh = codes.newSecret();
    expect(fresh)
      .to.match(/^[A-Z2-7]{32}$/)
      .and.not.to.equal(codes.newSecret());
    const uri = codes.enrolmentUri(fresh, 'bat@tamga.example');
    expect(uri).to.match(/^otpauth:\/\/totp\/Tamga:bat%40tamga\.example\?/);
    expect(URI.parse(uri)).to.deep.include({
      issuer: 'Tamga',
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
    });
  });
});
