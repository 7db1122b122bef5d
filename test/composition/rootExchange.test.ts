import { randomBytes, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  certifyRoot,
  expectFactsOf,
  openRoot,
  type OfflineRoot,
  type RevokedByRoot,
  type RootList,
  rootListIn,
} from '../../main/composition/offlineRoot.ts';
import { type RootRequest, withRootExchange } from '../../main/composition/rootExchange.ts';
import { pem } from '../../domain/shared/pem.ts';
import { openSoftwareKey, type OpenRootKey } from '../../infrastructure/ceremony/rootState.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { readCertificationRequest } from '../../infrastructure/pki/certificationRequest.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';

import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import { createPostgresLostRevocations } from '../../infrastructure/postgres/lostRevocations.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { announced } from '../../infrastructure/postgres/releaseLevel.ts';
import { systemClock } from '../../infrastructure/system.ts';

const operator = { name: 'Ministry of Examples', etsi: 'NTRMN-5512345', country: 'MN' };
const facts = { operator, policyArc: '1.3.6.1.4.1.99999.1', baseUrl: 'http://eid.example.mn' };
const clock = systemClock;

describe('What comes from an offline root', function () {
  this.timeout(60_000);
  const keys: OpenRootKey[] = [];
  let databaseUrl: string;
  let requests: readonly RootRequest[];

  const exchanging = <Result>(
    work: Parameters<typeof withRootExchange<Result>>[1],
  ): Promise<Result> =>
    withRootExchange(
      readConfig({
        ...commonSettings(),
        SVC_DATABASE_URL: databaseUrl,
        SVC_RP_API_BASE: 'https://eid.example.mn',
        SVC_PKI_BASE: facts.baseUrl,
        SVC_PKI_POLICY_ARC: facts.policyArc,
        SVC_PKI_OPERATOR_NAME: operator.name,
        SVC_PKI_OPERATOR_ETSI: operator.etsi,
      }),
      work,
    );

  /** Installs as the command does, the root by its hash. @returns what was told */
  const install = (root: OfflineRoot, files: Readonly<Record<string, Buffer>>) =>
    exchanging((exchange) =>
      exchange.install(new Map(Object.entries(files)), sha256Hex(root.certificate)),
    );

  async function rootOf(stated: typeof facts): Promise<OfflineRoot> {
    const key = openSoftwareKey(randomBytes(32), null);
    keys.push(key);
    const certificate = (await certifyRoot(key, stated, clock)).toString('base64');
    return openRoot(key, { ...stated, certificate }, clock);
  }

  /** Everything that a root certifies, by the names of the ceremony's files. */
  async function signedBy(root: OfflineRoot): Promise<Record<string, Buffer>> {
    const files = { 'root.pem': Buffer.from(pem('CERTIFICATE', root.certificate)) };
    for (const { name, file } of requests) {
      const der = await root.certify(name, readCertificationRequest(file).publicKey);
      Object.assign(files, { [`${name}.pem`]: Buffer.from(pem('CERTIFICATE', der)) });
    }
    return files;
  }

  async function listOf(
    root: OfflineRoot,
    revoked: readonly RevokedByRoot[],
    last: RootList | null,
  ): Promise<RootList> {
    const { der } = await root.list(revoked, 30, last);
    return rootListIn(der, new X509Certificate(root.certificate).publicKey);
  }

  const causeOf = async (refused: Promise<unknown>) => {
    const error = (await rejection(refused)) as Error;
    return `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`;
  };

  beforeEach(async () => {
    databaseUrl = await migratedDatabase();
    requests = await exchanging((exchange) => exchange.requests());
  });
  afterEach(async () => {
    for (const key of keys.splice(0)) await key.stop();
  });

  it('is asked for with the facts that a request has no field for', () => {
    for (const { file } of requests) {
      expectFactsOf(facts, file);
      for (const [wrong, named] of [
        [{ ...facts, baseUrl: 'http://pki.example.mn' }, 'SVC_PKI_BASE is http://eid.example.mn'],
        [{ ...facts, policyArc: '1.3.6' }, 'SVC_PKI_POLICY_ARC is 1.3.6.1.4.1.99999.1'],
      ] as const) {
        expect(() => expectFactsOf(wrong, file)).to.throw(`${named} where the request was made`);
      }
      expect(() => expectFactsOf(facts, file.slice(file.indexOf('-----')))).to.throw('not stated');
    }
  });

  it('is kept whole or not at all, so that a root with other facts can be made anew', async () => {
    for (const wrong of [
      { ...facts, baseUrl: 'http://pki.example.mn' },
      { ...facts, policyArc: '1.3.6.1.4.1.99999.2' },
    ]) {
      const root = await rootOf(wrong);
      expect(await causeOf(install(root, await signedBy(root)))).to.include(
        'pem. Nothing was installed.',
      );
    }
    const root = await rootOf(facts);
    expect(await install(root, await signedBy(root))).to.have.length(4);
  });

  it('is no root without what it certified, which shows its facts', async () => {
    const root = await rootOf(facts);
    const { 'root.pem': alone = Buffer.alloc(0) } = await signedBy(root);
    expect(await causeOf(install(root, { 'root.pem': alone }))).to.include(
      'Give personal.pem with root.pem',
    );
    expect(await install(root, await signedBy(root))).to.have.length(4);
  });

  it('is no list without what the installed one revokes', async () => {
    const root = await rootOf(facts);
    const revokedAt = new Date().toISOString();
    const entry = (serial: string) => ({ serial, reason: 4, revokedAt });
    const first = await listOf(root, [], null);
    await install(root, { ...(await signedBy(root)), 'root.crl': first.der });
    const second = await listOf(root, [entry('4a01'), entry('4a02')], first);
    await install(root, { 'root.crl': second.der });

    const ofOldCopy = await listOf(root, [entry('4a02')], second);
    const refused = await causeOf(install(root, { 'root.crl': ofOldCopy.der }));
    expect(refused).to.match(/would become valid again: 4a01\. It was made from an old copy/);
    const third = await listOf(root, [entry('4a01'), entry('4a02'), entry('4a03')], second);
    expect((await install(root, { 'root.crl': third.der }))[0]).to.match(/Revocation list \d+ of/);
    // An older one changes nothing, as a repeated command.
    const [told] = await install(root, { 'root.crl': second.der });
    expect(told).to.include('no newer than the installed one');
  });

  it('is no next generation while a process of another release runs, which is named', async () => {
    const root = await rootOf(facts);
    const first = await signedBy(root);
    await install(root, first);
    const request = () => exchanging((exchange) => exchange.requestNext('personal'));
    const requested = await request();
    if (!('file' in requested)) throw new Error('The root is online.');
    const { publicKey } = readCertificationRequest(requested.file);
    const der = await root.certify(requested.name, publicKey);
    const files = { 'personal-2.pem': Buffer.from(pem('CERTIFICATE', der)) };
    const former = createNotifications({ url: databaseUrl, name: announced('0.0.1', 1, []) });
    await former.start();
    try {
      expect(await causeOf(request())).to.match(/of another release are running.*: \S+:\d+\./u);
      expect(await causeOf(install(root, files))).to.match(/of another release are running/u);
      // Certificates that are installed are not refused.
      expect(await install(root, first)).to.have.length(4);
    } finally {
      await former.stop();
    }
    expect(await install(root, files)).to.have.length(1);
  });

  it('is no generation that the restored backup had not, and another key has', async () => {
    const root = await rootOf(facts);
    await install(root, await signedBy(root));
    const pool = createPool({ url: databaseUrl });
    try {
      await createPostgresLostRevocations(pool).keep({
        serial: '4a01',
        authority: 'personal-2',
        reason: 1,
        revokedAt: new Date(),
        notAfter: new Date('2100-01-01'),
      });
    } finally {
      await pool.end();
    }
    const requested = await exchanging((exchange) => exchange.requestNext('personal'));
    expect(requested).to.have.property('name', 'personal-3');
  });
});
