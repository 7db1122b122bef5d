import { expect } from 'chai';
import { createKeyRotation } from '../../application/openIdConnect/signingKeys.ts';
import type { OidcSigningKey } from '../../application/openIdConnect/ports/oidcSigningKeys.ts';

const DAY = 86_400_000;

function world() {
  let rows: readonly OidcSigningKey[] = [];
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const rotation = createKeyRotation({
    keys: {
      all: () => Promise.resolve(rows),
      introduce: (key) => {
        if (!rows.some(({ number }) => number === key.number)) rows = [...rows, key];
        return Promise.resolve();
      },
      activate: (number, now) => {
        rows = rows.map((key) => (key.number === number ? { ...key, activeFrom: now } : key));
        return Promise.resolve();
      },
    },
    clock: { now: () => new Date(time) },
    periodMs: 90 * DAY,
    leadMs: DAY,
    keepMs: DAY,
  });
  return { rotation, pass: (ms: number) => (time += ms) };
}

describe('Keys of the OpenID Connect provider', () => {
  it('are published before they sign, and kept until what they signed is over', async () => {
    const { rotation, pass } = world();
    expect(await rotation.published()).to.deep.equal(['oidc-1']);
    pass(88 * DAY);
    await rotation.rotateIfDue();
    expect(await rotation.published()).to.deep.equal(['oidc-1']);
    pass(DAY);
    await rotation.rotateIfDue();
    await rotation.rotateIfDue();
    expect(await rotation.published()).to.deep.equal(['oidc-1', 'oidc-2']);
    pass(DAY);
    expect(await rotation.published()).to.deep.equal(['oidc-2', 'oidc-1']);
    pass(DAY);
    expect(await rotation.published()).to.deep.equal(['oidc-2']);
  });

  it('sign at once when they must', async () => {
    const { rotation } = world();
    await rotation.published();
    await rotation.rotate(false);
    expect(await rotation.published()).to.deep.equal(['oidc-1', 'oidc-2']);
    await rotation.rotate(true);
    expect(await rotation.published()).to.deep.equal(['oidc-2', 'oidc-1']);
  });
});
