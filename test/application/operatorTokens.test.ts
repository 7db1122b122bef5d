import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { createOperatorTokens, type TokenClaims } from '../../application/operator/operators.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const secret = 'sixteen letters.';
const claims: TokenClaims = {
  scope: 'session',
  operatorId: 'a',
  sessionId: 's1',
  epoch: 0,
  enrolment: null,
};
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('The tokens of operators', () => {
  const clock = manualClock();
  const tokens = createOperatorTokens({ secret, clock });
  const { token } = tokens.issue(claims);
  const [payload = '', signature = ''] = token.split('.');

  it('are base64url of a payload and its HMAC-SHA-256', () => {
    const hmac = createHmac('sha256', secret).update(payload).digest('base64url');
    expect(signature).to.equal(hmac);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).to.include({
      scope: 'session',
      sub: 'a',
    });
  });

  it('say who signed in, until when', () => {
    const { expiresAt, ...read } = tokens.read(token, 'session') ?? {};
    expect(read).to.deep.equal(claims);
    expect(expiresAt?.getTime()).to.equal(clock.now().getTime() + 3_600_000);
    const mfa = tokens.issue({ ...claims, scope: 'mfa', enrolment: 'sealed' });
    expect(mfa.expiresAt.getTime()).to.equal(clock.now().getTime() + 300_000);
    expect(tokens.read(mfa.token, 'mfa')?.enrolment).to.equal('sealed');
  });

  it('count for their scope alone', () => {
    expect(tokens.read(token, 'mfa')).to.equal(null);
    const mfa = tokens.issue({ ...claims, scope: 'mfa' });
    expect(tokens.read(mfa.token, 'session')).to.equal(null);
  });

  it('end with the second they say', () => {
    const other = manualClock(clock.now().toISOString());
    const shared = createOperatorTokens({ secret, clock: other });
    other.advance(3_599_999);
    expect(shared.read(token, 'session')).not.to.equal(null);
    other.advance(1);
    expect(shared.read(token, 'session')).to.equal(null);
  });

  it('O2: end with a restore, whoever has one: it may have been signed out after the backup', () => {
    let countsSince: Date | null = null;
    const restored = createOperatorTokens({ secret, clock, countsSince: () => countsSince });
    const before = restored.issue(claims).token;
    expect(restored.read(before, 'session')).not.to.equal(null);
    countsSince = new Date(clock.now().getTime() + 1000);
    expect(restored.read(before, 'session')).to.equal(null);
    countsSince = clock.now();
    expect(restored.read(before, 'session')).not.to.equal(null);
  });

  it('are read by every process with the secret, and by no other', () => {
    expect(createOperatorTokens({ secret, clock }).read(token, 'session')).not.to.equal(null);
    const stranger = createOperatorTokens({ secret: 'sixteen letters!', clock });
    expect(stranger.read(token, 'session')).to.equal(null);
  });

  const fresh = { ...claims, sub: 'b', sid: 's1', iat: 0, exp: 9_999_999_999 };
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const header = encoded({ alg: 'none', typ: 'JWT' });
  for (const [trick, forged] of Object.entries({
    nothing: '',
    'no signature': payload,
    'an empty signature': `${payload}.`,
    'another payload': `${encoded(fresh)}.${signature}`,
    'the signature cut': `${payload}.${signature.slice(0, -1)}`,
    'a spelling of the same signature': `${payload}.${signature.slice(0, -1)}${nextLetter(signature)}`,
    padding: `${token}=`,
    'the signature in base64': `${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    'another hash': `${payload}.${createHmac('sha512', secret).update(payload).digest('base64url')}`,
    'no key': `${payload}.${createHmac('sha256', '').update(payload).digest('base64url')}`,
    'a header that names no algorithm': `${header}.${encoded(fresh)}.`,
    'a JWT under the same secret': `${header}.${encoded(fresh)}.${sign(`${header}.${encoded(fresh)}`)}`,
    'something behind': `${token}.${signature}`,
    'a letter in upper case': token.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    'two megabytes': 'a'.repeat(2_000_000),
  })) {
    it(`are not made by ${trick}`, () => {
      expect(tokens.read(forged, 'session')).to.equal(null);
    });
  }

  for (const [what, signed] of Object.entries({
    'no payload of ours': encoded({ scope: 'session', exp: 9_999_999_999 }),
    null: encoded(null),
    'no JSON': Buffer.from('session').toString('base64url'),
  })) {
    it(`are not what another program signed with the secret: ${what}`, () => {
      expect(tokens.read(`${signed}.${sign(signed)}`, 'session')).to.equal(null);
    });
  }
});

/** The letter after the last one: in base64url it stands for the same bytes, as the last bits are not used. */
function nextLetter(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters.charAt(letters.indexOf(text.slice(-1)) + 1);
}
