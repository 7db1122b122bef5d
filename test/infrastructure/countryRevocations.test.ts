import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
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
import { MalformedDer } from '../../infrastructure/pki/kernel/derReader.ts';
import { revocationListsIn } from '../../infrastructure/pki/revocationListReader.ts';
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
    countryRevocations(lists.flatMap(revocationListsIn), trusted.map(certificateOf));
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
    expect(() => revocationListsIn(list)).to.throw(MalformedDer);
    expect(() => revocationListsIn(Buffer.from('nothing'))).to.throw(MalformedDer);
    const right = await listOf(authority, { revoked: [revoked] });
    fc.assert(
      fc.property(fc.nat(right.length - 1), (length) => {
        expect(() => revocationListsIn(right.subarray(0, length))).to.throw(MalformedDer);
      }),
    );
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
