import { expect } from 'chai';
import {
  type CertificateDetails,
  comparableName,
  readCertificate,
  readPemBundle,
} from '../../infrastructure/pki/kernel/certificate.ts';
import { createPathBuilder } from '../../infrastructure/pki/kernel/certificationPath.ts';
import { derOid, derSequence, derValue } from '../../infrastructure/pki/kernel/der.ts';
import { derTag } from '../../infrastructure/pki/kernel/derReader.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { type Issued, issue } from '../client/support.ts';

const PRINTABLE_STRING = 0x13;
const moment = { now: new Date('2026-06-01T00:00:00Z'), clockSkewMs: 0 };

const read = (...issued: readonly Issued[]): CertificateDetails[] =>
  issued.map(({ derB64 }) => readCertificate(Buffer.from(derB64, 'base64')));

/** Common names from the leaf to the anchor; null when there is no path. */
function path(
  leaf: Issued,
  anchors: readonly Issued[],
  intermediates: readonly Issued[] = [],
  sent: readonly Issued[] = [],
) {
  const [certificate] = read(leaf);
  if (certificate === undefined) throw new Error('There is no leaf.');
  const built = createPathBuilder(read(...anchors), read(...intermediates)).build(
    certificate,
    moment,
    read(...sent),
  );
  return built?.map(({ subject }) => subject.commonName) ?? null;
}

describe('A certification path (RFC 5280 §6.1)', () => {
  it('finds the issuer among several of the same name: a CA after a change of keys', async () => {
    const root = await issue({ name: 'Root', ca: true });
    const older = await issue({ name: 'Issuing', ca: true, issuer: root });
    const newer = await issue({ name: 'Issuing', ca: true, issuer: root });
    for (const issuer of [older, newer]) {
      const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer });
      expect(path(leaf, [root], [older, newer])).to.deep.equal(['Leaf', 'Issuing', 'Root']);
      expect(path(leaf, [root], [issuer === older ? newer : older])).to.equal(null);
    }
  });

  it('takes the way round an expired or untrusted cross-certificate', async () => {
    const trusted = await issue({ name: 'Trusted', ca: true });
    const untrusted = await issue({ name: 'Untrusted', ca: true });
    const issuing = await issue({ name: 'Issuing', ca: true, issuer: untrusted });
    const same = { name: 'Issuing', ca: true, keys: issuing.keys } as const;
    const notAfter = new Date('2026-05-01T00:00:00Z');
    const expired = await issue({ ...same, issuer: trusted, notAfter });
    const crossed = await issue({ ...same, issuer: trusted });
    const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: issuing });
    expect(path(leaf, [trusted], [issuing, expired])).to.equal(null);
    expect(path(leaf, [trusted], [issuing, untrusted, expired, crossed])).to.deep.equal([
      'Leaf',
      'Issuing',
      'Trusted',
    ]);
  });

  it('ends where CAs certify each other in a circle', async () => {
    const one = await issue({ name: 'One', ca: true });
    const two = await issue({ name: 'Two', ca: true, issuer: one });
    const back = await issue({ name: 'One', ca: true, issuer: two, keys: one.keys });
    const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: two });
    const elsewhere = await issue({ name: 'Elsewhere', ca: true });
    expect(path(leaf, [elsewhere], [one, two, back])).to.equal(null);
    expect(path(leaf, [one], [two, back])).to.deep.equal(['Leaf', 'Two', 'One']);
  });

  it('does not count a CA that certified itself a new key towards the length of a path', async () => {
    const root = await issue({ name: 'Root', ca: true, pathLength: 1 });
    const issuing = await issue({ name: 'Issuing', ca: true, issuer: root });
    const renewed = await issue({ name: 'Issuing', ca: true, issuer: issuing });
    const below = await issue({ name: 'Below', ca: true, issuer: issuing });
    const wish = { name: 'Leaf', usage: 'AUTH' } as const;
    const allowed = await issue({ ...wish, issuer: renewed });
    const tooLong = await issue({ ...wish, issuer: below });
    const all = [issuing, renewed, below];
    expect(path(allowed, [root], all)).to.deep.equal(['Leaf', 'Issuing', 'Issuing', 'Root']);
    expect(path(tooLong, [root], all)).to.equal(null);
  });

  it('begins from any anchor, also one that is not self-signed, and never from a leaf', async () => {
    const root = await issue({ name: 'Root', ca: true });
    const issuing = await issue({ name: 'Issuing', ca: true, issuer: root });
    const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: issuing });
    const another = await issue({ name: 'Another', ca: true });
    expect(path(leaf, [another, issuing])).to.deep.equal(['Leaf', 'Issuing']);
    expect(path(leaf, [leaf])).to.equal(null);
    const alone = await issue({ name: 'Alone', usage: 'AUTH' });
    expect(path(alone, [alone])).to.equal(null);
  });

  it('reads bundles: texts of several certificates, with anything between them', async () => {
    const one = await issue({ name: 'One', ca: true });
    const two = await issue({ name: 'Two', ca: true });
    const names = (pem: string | readonly string[]) =>
      readPemBundle(pem).map(({ subject }) => subject.commonName);
    expect(names(`# roots\n${one.pem}\r\nfriendlyName: two\n${two.pem}\n`)).to.deep.equal([
      'One',
      'Two',
    ]);
    expect(names([one.pem, `${two.pem}\n${one.pem}`])).to.deep.equal(['One', 'Two', 'One']);
    expect(names('')).to.deep.equal([]);
    expect(() => names(one.pem.replace('\nMI', '\n!!'))).to.throw();
  });

  it('goes through issuers sent along, and trusts none of them', async () => {
    const root = await issue({ name: 'Root', ca: true });
    const issuing = await issue({ name: 'Issuing', ca: true, issuer: root });
    const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: issuing });
    expect(path(leaf, [root], [], [issuing])).to.deep.equal(['Leaf', 'Issuing', 'Root']);
    expect(path(leaf, [], [], [issuing, root])).to.equal(null);
  });

  it('leads to the certificate that is named by issuer and serial number (§4.2.1.1)', async () => {
    const root = await issue({ name: 'Root', ca: true });
    const named = await issue({ name: 'Issuing', ca: true, issuer: root });
    const other = await issue({ name: 'Issuing', ca: true, issuer: root, keys: named.keys });
    const leaf = await issue({
      name: 'Leaf',
      usage: 'AUTH',
      issuer: named,
      authorityCertificate: named,
    });
    expect(path(leaf, [root], [other])).to.equal(null);
    expect(path(leaf, [root], [other, named])).to.deep.equal(['Leaf', 'Issuing', 'Root']);
  });

  it('takes a longer way where the short one has too many CAs below an issuer', async () => {
    const root = await issue({ name: 'Root', ca: true });
    const narrow = await issue({ name: 'Narrow', ca: true, issuer: root, pathLength: 0 });
    const wide = await issue({ name: 'Wide', ca: true, issuer: root });
    const crossed = await issue({ name: 'Narrow', ca: true, issuer: wide, keys: narrow.keys });
    const issuing = await issue({ name: 'Issuing', ca: true, issuer: narrow });
    const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: issuing });
    const all = [narrow, crossed, wide, issuing];
    expect(path(leaf, [root], all)).to.deep.equal(['Leaf', 'Issuing', 'Narrow', 'Wide', 'Root']);
    expect(path(leaf, [root], [narrow, issuing])).to.equal(null);
  });

  it('leads to an issuer whose name is the same text in another encoding (§7.1)', async () => {
    const root = await issue({ name: 'Root', ca: true });
    const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: root });
    const [certificate] = read(leaf);
    if (certificate === undefined) throw new Error('There is no leaf.');
    const isNamedLike = (name: string) => {
      const der = Buffer.from(root.derB64, 'base64');
      for (let at = der.indexOf('Root'); at >= 0; at = der.indexOf('Root', at + 1)) {
        const tag = der.readUInt8(at - 2);
        der.writeUInt8(tag === derTag.utf8String ? PRINTABLE_STRING : derTag.utf8String, at - 2);
        der.write(name, at);
      }
      return createPathBuilder([readCertificate(der)]).build(certificate, moment) !== null;
    };
    expect(isNamedLike('Root'), 'another string type').to.equal(true);
    expect(isNamedLike('ROOT'), 'another case').to.equal(true);
    expect(isNamedLike('Roof'), 'another name').to.equal(false);
  });

  it('compares names without spaces that say nothing, and nothing else loosely (§7.1)', () => {
    const utf8 = (text: string) => derValue(derTag.utf8String, Buffer.from(text));
    const name = (...values: readonly Buffer[]) =>
      comparableName(
        derSequence(
          ...values.map((value) =>
            derValue(derTag.set, derSequence(derOid(oid.commonName), value)),
          ),
        ),
      );
    const right = name(utf8('Good CA'));
    expect(name(utf8('  good   ca '))).to.equal(right);
    expect(name(derValue(PRINTABLE_STRING, Buffer.from('GOOD CA')))).to.equal(right);
    for (const other of [
      name(utf8('GoodCA')),
      name(utf8('Good'), utf8('CA')),
      name(utf8('Good CA'), utf8('Good CA')),
      name(derValue(derTag.octetString, Buffer.from('Good CA'))),
      comparableName(Buffer.from('no name')),
    ]) {
      expect(other).not.to.equal(right);
    }
  });

  it('has eight certificates at most', async () => {
    const root = await issue({ name: 'CA 0', ca: true });
    const chain = [root];
    for (let depth = 1; depth <= 7; depth += 1) {
      const above = chain.at(-1) ?? root;
      chain.push(await issue({ name: `CA ${depth}`, ca: true, issuer: above }));
    }
    const leafOf = (issuer = root) => issue({ name: 'Leaf', usage: 'AUTH', issuer });
    expect(path(await leafOf(chain[6]), [root], chain)).to.have.length(8);
    expect(path(await leafOf(chain[7]), [root], chain)).to.equal(null);
  });

  it('accepts issuers with P-384 and RSA keys', async () => {
    for (const wish of [{ curve: 'P-384' }, { rsaBits: 2048 }] as const) {
      const root = await issue({ name: 'Root', ca: true, ...wish });
      const leaf = await issue({ name: 'Leaf', usage: 'AUTH', issuer: root });
      expect(path(leaf, [root])).to.deep.equal(['Leaf', 'Root']);
      const impostor = await issue({ name: 'Root', ca: true, ...wish });
      expect(path(leaf, [impostor])).to.equal(null);
    }
  });
});
