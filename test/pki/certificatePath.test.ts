import { expect } from 'chai';
import { hasTrustedPath } from '../../infrastructure/pki/certificatePath.ts';
import { type Issued, issue } from '../client/support.ts';

const time = new Date('2026-06-01T00:00:00Z');
const derOf = ({ derB64 }: Issued) => Buffer.from(derB64, 'base64');

/** Certificates of one name and key, each an issuer of all others. */
async function maze(size: number): Promise<readonly Issued[]> {
  const first = await issue({ name: 'Maze', ca: true });
  const { keys } = first;
  const others = Array.from({ length: size - 1 }, () => issue({ name: 'Maze', ca: true, keys }));
  return [first, ...(await Promise.all(others))];
}

describe('F9: the search for a certification path', () => {
  let root: Issued;
  let issuing: Issued;
  let leaf: Issued;

  before(async () => {
    root = await issue({ name: 'Root', ca: true });
    issuing = await issue({ name: 'Issuing', ca: true, issuer: root });
    leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: issuing });
  });

  it('finds one through certificates sent along, and takes an anchor as it is', () => {
    const trust = { anchors: [derOf(root)] };
    expect(hasTrustedPath(derOf(leaf), [derOf(issuing)], trust, time)).to.equal(true);
    expect(hasTrustedPath(derOf(leaf), [], trust, time)).to.equal(false);
    expect(hasTrustedPath(derOf(leaf), [], { anchors: [derOf(leaf)] }, time)).to.equal(true);
    const late = new Date('2037-01-01T00:00:00Z');
    expect(hasTrustedPath(derOf(leaf), [derOf(issuing)], trust, late)).to.equal(false);
  });

  // 391 ms with three, seven times as long with each further one, before each was expanded once.
  it('expands each of certificates that issue each other once', async () => {
    const rooms = await maze(5);
    const [entrance] = rooms;
    const lost = await issue({
      name: 'Lost',
      usage: 'AUTH',
      ...(entrance && { issuer: entrance }),
    });
    const started = performance.now();
    expect(
      hasTrustedPath(derOf(lost), rooms.map(derOf), { anchors: [derOf(root)] }, time),
    ).to.equal(false);
    expect(performance.now() - started).to.be.below(1000);
  });

  it('refuses more than ten certificates sent along', () => {
    const trust = { anchors: [derOf(root)] };
    const sent = (count: number) => Array.from({ length: count }, () => derOf(issuing));
    expect(hasTrustedPath(derOf(leaf), sent(10), trust, time)).to.equal(true);
    expect(hasTrustedPath(derOf(leaf), sent(11), trust, time)).to.equal(false);
  });
});
