import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import { createOutside } from '../../infrastructure/outside/bounds.ts';
import fc from 'fast-check';
import type { CountryRevocations } from '../../infrastructure/passport/countryRevocations.ts';
import {
  countryRevocations,
  createRevocationFiles,
} from '../../infrastructure/passport/countryRevocations.ts';
import {
  derOctetString,
  derOid,
  derSequence,
  derValue,
} from '../../infrastructure/pki/kernel/der.ts';
import { derTag, MalformedDer } from '../../infrastructure/pki/kernel/derReader.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import {
  countryListsIn,
  revocationListsIn,
} from '../../infrastructure/pki/revocationListReader.ts';
import { craftCrl } from '../client/revocationSupport.ts';
import { type Issued, issue } from '../client/support.ts';
import {
  createCountryAuthority,
  createDocumentSigner,
  type Signer,
} from '../support/passport/passports.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';

const now = new Date('2010-06-01T12:00:00Z');
const P384 = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };

interface ListOptions {
  readonly revoked?: readonly Signer[];
  readonly nextUpdate?: string;
  readonly extensions?: readonly x509.Extension[];
}

/** A revocation list by that authority, by another program's hand. */
async function listOf(authority: Signer, options: ListOptions = {}): Promise<Buffer> {
  x509.cryptoProvider.set(webcrypto);
  const pkcs8 = authority.privateKey.export({ format: 'der', type: 'pkcs8' });
  const crl = await x509.X509CrlGenerator.create({
    issuer: new x509.X509Certificate(authority.certificate).subject,
    thisUpdate: new Date('2010-05-01T00:00:00Z'),
    nextUpdate: new Date(options.nextUpdate ?? '2010-08-01T00:00:00Z'),
    entries: (options.revoked ?? []).map(({ serial }) => ({
      serialNumber: serial.toString('hex'),
      revocationDate: new Date('2010-04-01T00:00:00Z'),
      reason: x509.X509CrlReason.keyCompromise,
    })),
    extensions: [...(options.extensions ?? [])],
    signingAlgorithm: P384,
    signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, P384, false, ['sign']),
  });
  return Buffer.from(crl.rawData);
}

const certificateOf = ({ certificate }: Signer) => new X509Certificate(certificate);

describe('revocation lists of country authorities (ICAO Doc 9303-12 §7.1.4)', () => {
  const authority = createCountryAuthority();
  const stranger = createCountryAuthority({ name: 'Elsewhere' });
  const signer = createDocumentSigner(authority);
  const revoked = createDocumentSigner(authority);

  const of = (lists: readonly Buffer[], trusted: readonly Signer[] = [authority]) =>
    countryRevocations(
      lists.flatMap((list) => countryListsIn(list).lists),
      trusted.map(certificateOf),
    );
  const stateOf = (known: CountryRevocations, whose: Signer, by = authority) =>
    known.stateOf(certificateOf(whose), certificateOf(by), now);

  it('say which signers are revoked', async () => {
    const known = of([await listOf(authority, { revoked: [revoked] })]);
    expect(known).to.include({ known: 1, foreign: 0 });
    expect(stateOf(known, revoked)).to.equal('REVOKED');
    expect(stateOf(known, signer)).to.equal('NOT_REVOKED');
  });

  it('say so when they are overdue, too, but not what is in force then', async () => {
    const nextUpdate = '2010-05-31T00:00:00Z';
    const known = of([await listOf(authority, { revoked: [revoked], nextUpdate })]);
    expect(stateOf(known, revoked)).to.equal('REVOKED');
    expect(stateOf(known, signer)).to.equal('LIST_OVERDUE');
  });

  it('are ignored when signed by another authority, or unsigned', async () => {
    const foreign = await listOf(stranger, { revoked: [revoked] });
    expect(stateOf(of([foreign]), revoked)).to.equal('NO_LIST');
    expect(of([foreign])).to.include({ known: 0, foreign: 1 });
    expect(stateOf(of([foreign], [authority, stranger]), revoked), 'another State').to.equal(
      'NO_LIST',
    );
    const forged = await listOf(authority, { revoked: [revoked] });
    const last = forged.length - 1;
    forged[last] = (forged[last] ?? 0) ^ 1;
    expect(stateOf(of([forged]), revoked)).to.equal('NO_LIST');
  });

  it('of an authority with a new key speak of the signers under its old one', async () => {
    const renewed = createCountryAuthority();
    const known = of([await listOf(renewed, { revoked: [revoked] })], [authority, renewed]);
    expect(stateOf(known, revoked)).to.equal('REVOKED');
    expect(stateOf(known, signer)).to.equal('NOT_REVOKED');
  });

  it('are not read where they are of a part, or are none', async () => {
    const partial = new x509.Extension('2.5.29.28', true, new Uint8Array([0x30, 0]));
    const list = await listOf(authority, { extensions: [partial] });
    const right = await listOf(authority, { revoked: [revoked] });
    const expectFault = (file: Buffer) => {
      expect(() => revocationListsIn(file)).to.throw(MalformedDer);
      const { lists, faults } = countryListsIn(file);
      expect([lists.length, faults.length]).to.deep.equal([0, 1]);
    };
    expectFault(list);
    expectFault(Buffer.from('nothing'));
    fc.assert(
      fc.property(fc.nat(right.length - 1), (length) => expectFault(right.subarray(0, length))),
    );
  });

  it('count what they revoke, however States encode the rest', async () => {
    const state = await issue({ name: 'State', ca: true });
    const bad = await issue({ name: 'Revoked', issuer: state });
    const good = await issue({ name: 'Good', issuer: state });
    const read = (each: Issued) => new X509Certificate(Buffer.from(each.derB64, 'base64'));
    const critical = derValue(derTag.boolean, Buffer.of(0xff));
    const extension = (id: string, value: Buffer, ...flag: readonly Buffer[]) =>
      derSequence(derOid(id), ...flag, derOctetString(value));
    const number = (byte: number) => derValue(derTag.integer, Buffer.of(byte));
    const odd: Readonly<Record<string, Parameters<typeof craftCrl>[2]>> = {
      'no time of the next': { nextUpdate: null },
      'a distribution point': {
        extensions: extension(oid.issuingDistributionPoint, derSequence()),
      },
      'a critical number': { extensions: extension(oid.crlNumber, number(1), critical) },
      'a critical identifier': {
        extensions: extension(oid.authorityKeyIdentifier, derSequence(), critical),
      },
      'a negative number': { extensions: extension(oid.crlNumber, number(0xff)) },
      'a reason as INTEGER': { more: derSequence(extension(oid.reasonCode, number(1))) },
    };
    const serial = Buffer.from(bad.certificate.serialNumber, 'hex');
    for (const [what, wish] of Object.entries(odd)) {
      const { lists } = countryListsIn(craftCrl(state, [serial], wish));
      const known = countryRevocations(lists, [read(state)]);
      const today = new Date();
      expect(known.stateOf(read(bad), read(state), today), what).to.equal('REVOKED');
      const without = what === 'no time of the next' ? 'LIST_OVERDUE' : 'NOT_REVOKED';
      expect(known.stateOf(read(good), read(state), today), what).to.equal(without);
    }
  });

  it('hide no other list where one is damaged, and are named', async () => {
    const directory = await serverDirectory('crl');
    const told: [string, unknown][] = [];
    const write = (level: string) => (fields: object) => told.push([level, fields]);
    const log = { info: write('info'), warn: write('warn'), error: write('error') } as never;
    const open = (path: string) =>
      createRevocationFiles({
        path,
        authorities: [certificateOf(authority)],
        log,
        clock: { now: () => now },
        access: createOutside().open('countryRevocations'),
      });
    const block = (list: Buffer) =>
      `-----BEGIN X509 CRL-----\n${list.toString('base64')}\n-----END X509 CRL-----\n`;
    const whole = await listOf(authority, { revoked: [revoked] });
    const odd = join(directory, 'elsewhere.crl');
    await writeFile(odd, whole.subarray(0, 100));
    expect(String(await rejection(open(odd).current())), 'nothing else').to.contain(odd);
    const two = join(directory, 'utopia.pem');
    await writeFile(two, block(whole.subarray(0, 90)) + block(whole));
    const lists = open(directory);
    const known = await lists.current();
    expect(stateOf(known, revoked)).to.equal('REVOKED');
    const [level, fields] = told.at(-1) ?? [];
    expect(level).to.equal('error');
    expect(fields).to.include({ lists: 1, unreadable: 2 });
    expect(JSON.stringify(fields)).to.contain(odd).and.to.contain(two);
    await writeFile(odd, await listOf(authority));
    expect(stateOf(await lists.current(), revoked)).to.equal('REVOKED');
    await writeFile(two, block(await listOf(authority)));
    expect(stateOf(await lists.current(), revoked)).to.equal('NOT_REVOKED');
    await rm(directory, { recursive: true });
  });

  it('hide no other list where a file cannot be opened, which is named once and tried again', async () => {
    const directory = await serverDirectory('crl');
    const told: object[] = [];
    const log = { info: told.push, warn: told.push, error: (fields: object) => told.push(fields) };
    let time = now;
    const options = { authorities: [certificateOf(authority)], clock: { now: () => time } };
    const access = createOutside().open('countryRevocations');
    const open = (path: string) =>
      createRevocationFiles({ ...options, path, log: log as never, access });
    await writeFile(join(directory, 'a.crl'), await listOf(authority, { revoked: [revoked] }));
    const later = join(directory, 'later');
    await symlink(later, join(directory, 'b.crl'));
    // A file that is there, and whose bytes nobody may read.
    await symlink('/proc/self/mem', join(directory, 'c.crl'));

    const lists = open(directory);
    expect(stateOf(await lists.current(), revoked)).to.equal('REVOKED');
    expect(stateOf(await lists.current(), signer)).to.equal('NOT_REVOKED');
    expect(told).to.have.length(1);
    expect(told[0]).to.include({ lists: 1, unreadable: 2 });
    expect(JSON.stringify(told[0])).to.match(/b\.crl: cannot be opened \(ENOENT\).*c\.crl/u);

    const known = await lists.current();
    expect(await lists.current(), 'read once').to.equal(known);
    time = new Date(time.getTime() + 60_000);
    expect(await lists.current(), 'tried again after a minute').to.not.equal(known);
    await rm(join(directory, 'c.crl'));
    await writeFile(later, await listOf(authority, { revoked: [signer] }));
    expect(stateOf(await lists.current(), signer)).to.equal('REVOKED');
    await rm(later);
    expect(stateOf(await lists.current(), signer), 'kept').to.equal('REVOKED');
    await rm(directory, { recursive: true });
  });

  it('are read from the files of a directory, again when one is newer, and kept when it is damaged', async () => {
    const directory = await serverDirectory('crl');
    const told: string[] = [];
    const log = {
      info: () => told.push('info'),
      warn: () => told.push('warn'),
      error: () => told.push('error'),
    } as never;
    const files = (path: string) =>
      createRevocationFiles({
        path,
        authorities: [certificateOf(authority)],
        log,
        clock: { now: () => now },
        access: createOutside().open('countryRevocations'),
      });
    expect(await rejection(files(join(directory, 'none')).current())).to.be.instanceOf(Error);
    const lists = files(directory);
    expect(stateOf(await lists.current(), revoked), 'no file').to.equal('NO_LIST');
    const file = join(directory, 'utopia.crl');
    await writeFile(file, await listOf(authority));
    expect(stateOf(await lists.current(), revoked)).to.equal('NOT_REVOKED');
    const newer = await listOf(authority, { revoked: [revoked] });
    const pem = ['-----BEGIN X509 CRL-----', newer.toString('base64'), '-----END X509 CRL-----'];
    await writeFile(file, pem.join('\n'));
    const known = await lists.current();
    expect(stateOf(known, revoked)).to.equal('REVOKED');
    expect(await lists.current(), 'read once').to.equal(known);
    await writeFile(file, 'damaged');
    expect(stateOf(await lists.current(), revoked)).to.equal('REVOKED');
    expect(told.at(-1)).to.equal('error');
    await rm(directory, { recursive: true });
  });
});
