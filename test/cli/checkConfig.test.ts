import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { checkConfig } from '../../main/cli/checkConfig.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import { craftCrl } from '../client/revocationSupport.ts';
import { issue } from '../client/support.ts';
import { oddBoolean } from '../support/pki/oddCertificates.ts';
import { createPersonalAuthority } from '../support/pki/personalAuthority.ts';
import { masterKey, type Settings } from '../support/installation/serviceProcess.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { openssl, skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { startRedis } from '../support/programs/redis.ts';

describe('./tamga check-config', function () {
  this.timeout(60_000);
  let url: string;
  let directory: string;

  before(async () => {
    url = await freshDatabase();
    directory = await mkdtemp(join(tmpdir(), 'tamga-check-'));
  });

  after(() => rm(directory, { recursive: true, force: true }));

  async function checked(settings: Settings) {
    const lines: string[] = [];
    const code = await checkConfig(
      {
        SVC_PROFILE: 'development',
        SVC_SW_MASTER_KEY: masterKey,
        SVC_DATABASE_URL: url,
        ...settings,
      },
      (line) => lines.push(line),
    );
    const fails = lines.filter((line) => line.startsWith('fails'));
    return { code, lines, fails };
  }

  it('prints a line for everything tried and changes nothing', async () => {
    const { code, lines, fails } = await checked({ SVC_FILE_STORE_DIR: directory });
    expect(lines).to.include.members([
      'ok    format of each setting',
      'ok    SVC_HOST',
      'ok    SVC_FILE_STORE_DIR',
    ]);
    expect([code, fails]).to.deep.equal([0, []]);
    // The server of the tests does not wait for its disk.
    expect(lines.join('\n')).to.match(/^warns SVC_DATABASE_URL: fsync is "off"/mu);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const { rows } = await admin.query(`select from pg_tables where schemaname = 'public'`);
    await admin.end();
    expect(rows).to.have.length(0);
  });

  for (const [what, settings, says] of [
    ['a setting', { SVC_PORT: 'http' }, /^fails SVC_PORT: /u],
    [
      'an address',
      { SVC_TRUSTED_PROXIES: '10.0.0.1,nginx' },
      /^fails SVC_TRUSTED_PROXIES: nginx is neither an IP address nor a CIDR block/u,
    ],
    [
      'a proxy that is everybody',
      { SVC_TRUSTED_PROXIES: '0.0.0.0/0' },
      /^fails SVC_TRUSTED_PROXIES: 0\.0\.0\.0\/0 contains every address/u,
    ],
    ['a host', { SVC_HOST: '192.0.2.1' }, /^fails SVC_HOST: .*EADDRNOTAVAIL/u],
    [
      'a file of TLS',
      { SVC_TLS_CERT: '/nowhere/cert.pem', SVC_TLS_KEY: '/nowhere/key.pem' },
      /^fails SVC_TLS_CERT, .*SVC_TLS_CERT: the file it names cannot be read\.[^]*ENOENT/u,
    ],
    [
      'a file of certificates',
      { SVC_KYC_GSIGN_TRUST: '/nowhere/trust.pem' },
      /^fails SVC_KYC_GSIGN_TRUST: .*ENOENT/u,
    ],
    [
      'the directory of files',
      { SVC_FILE_STORE_DIR: '/nowhere/files' },
      /^fails SVC_FILE_STORE_DIR: .*ENOENT/u,
    ],
    [
      'the token',
      {
        SVC_PKCS11_MODULE: '/nowhere/module.so',
        SVC_PKCS11_TOKEN: 'tamga',
        SVC_PKCS11_PIN: '1234',
      },
      /^fails SVC_PKCS11_MODULE, SVC_PKCS11_TOKEN, SVC_PKCS11_PIN: .*module\.so/u,
    ],
    [
      'the database',
      { SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
      /^fails SVC_DATABASE_URL: .*ECONNREFUSED/u,
    ],
  ] as const) {
    it(`names ${what} that does not work`, async () => {
      const { code, fails } = await checked(settings);
      expect(code).to.equal(1);
      expect(fails.filter((line) => says.test(line))).to.have.length(1);
    });
  }

  it('names trust anchors that no path can end in, and fails where there is no other', async () => {
    const authority = await createPersonalAuthority('Odd');
    const file = join(directory, 'trust.pem');
    const settings = { SVC_KYC_GSIGN_TRUST: file };
    const leaf = await authority.person({ serialNumbers: ['УБ85031512'] });
    const odd = certificatePem(oddBoolean(authority.root)) + leaf.files.certificate;
    await writeFile(file, odd + certificatePem(authority.root));
    const some = await checked(settings);
    const told = some.lines.filter((line) => line.startsWith('warns SVC_KYC_GSIGN_TRUST: '));
    expect(told).to.have.length(2);
    expect(told[0]).to.match(/CN=Odd Root.* cannot be read/u);
    expect(told[1]).to.match(/is not a CA/u);
    expect(some.fails).to.deep.equal([]);
    await writeFile(file, odd);
    const { fails } = await checked(settings);
    expect(fails.join()).to.match(/^fails SVC_KYC_GSIGN_TRUST: .*CN=Odd Root/u);
  });

  it('reads the revocation lists of country authorities as the service does', async () => {
    const state = await issue({ name: 'State', ca: true });
    const signer = await issue({ name: 'Signer', issuer: state });
    const serial = Buffer.from(signer.certificate.serialNumber, 'hex');
    const authorities = join(directory, 'csca.pem');
    const lists = await serverDirectory('crl');
    const settings = { SVC_KYC_PASSPORT_CSCA: authorities, SVC_KYC_PASSPORT_CRL: lists };
    await writeFile(authorities, certificatePem(Buffer.from(state.derB64, 'base64')));
    const told = ({ lines }: { readonly lines: readonly string[] }) =>
      lines.filter((line) => line.includes('SVC_KYC_PASSPORT_CRL'));

    expect(told(await checked(settings)).join()).to.match(/^warns .*contains no list/u);
    await writeFile(join(lists, 'damaged.crl'), 'nothing');
    expect(told(await checked(settings)).join()).to.match(/^fails .*damaged\.crl/u);
    await writeFile(join(lists, 'state.crl'), craftCrl(state, [serial]));
    await writeFile(join(lists, 'other.crl'), craftCrl(signer, [serial]));
    await symlink(join(lists, 'nowhere'), join(lists, 'gone.crl'));
    const some = await checked(settings);
    expect(some.fails).to.deep.equal([]);
    expect(told(some).join('\n')).to.match(
      /^warns .*damaged\.crl[^]*gone\.crl: cannot be opened \(ENOENT\)[^]*1 of 2 lists were not issued by a trusted/u,
    );
    await rm(lists, { recursive: true });
  });

  it('O9: names a port that something answers at, as a restart would meet it', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    try {
      const { code, lines } = await checked({ SVC_MANAGEMENT_PORT: String(port) });
      expect(lines.join('\n')).to.match(/^warns SVC_MANAGEMENT_PORT: port \d+ is in use/mu);
      expect(code).to.equal(0);
    } finally {
      server.close();
    }
  });

  it('O9: names the master key of another installation', async () => {
    const used = await migratedDatabase();
    const admin = new pg.Client({ connectionString: used });
    await admin.connect();
    await admin.query(
      `insert into log_identity (installation_id, epoch, wrapping_key_fingerprint) values ($1, 1, $2)`,
      [randomUUID(), deriveMasterKeys(Buffer.from(masterKey, 'base64')).fingerprint],
    );
    await admin.end();
    expect((await checked({ SVC_DATABASE_URL: used })).fails).to.deep.equal([]);
    const { code, fails } = await checked({
      SVC_DATABASE_URL: used,
      SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    expect(code).to.equal(1);
    expect(fails.join('\n')).to.match(/SVC_SW_MASTER_KEY is not the key of this installation/u);
  });

  it('O14: names a key that is not that of the certificate', async function () {
    await skipWithoutOpenssl(this);
    const pair = async (name: string) => {
      const [key, cert] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)];
      await openssl(
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
        ...['-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=rp.example.mn'],
      );
      return { key, cert };
    };
    const [one, other] = [await pair('one'), await pair('other')];
    const { fails } = await checked({ SVC_TLS_CERT: one.cert, SVC_TLS_KEY: other.key });
    expect(fails.join('\n')).to.match(
      /^fails SVC_TLS_CERT, .*: The key in SVC_TLS_KEY does not belong to the certificate in SVC_TLS_CERT\.$/mu,
    );
  });

  describe('on the database of a newer release', () => {
    async function newerBy(statement: string): Promise<string> {
      const newer = await migratedDatabase();
      const admin = new pg.Client({ connectionString: newer });
      await admin.connect();
      await admin.query(statement);
      await admin.end();
      return newer;
    }

    it('O8: names an upgrade that was finished', async () => {
      const newer = await newerBy('update release_level set level = 99');
      const { code, fails } = await checked({ SVC_DATABASE_URL: newer });
      expect(code).to.equal(1);
      expect(fails.join('\n')).to.match(/^fails SVC_DATABASE_URL: .*newer release.*level 99/mu);
    });

    it('O8: warns of migrations that it runs on', async () => {
      const newer = await newerBy("insert into kysely_migration values ('999_future', '')");
      const { fails, lines } = await checked({ SVC_DATABASE_URL: newer });
      expect(fails).to.deep.equal([]);
      expect(lines.join('\n')).to.match(/^warns SVC_DATABASE_URL: .*newer release.*999_future/mu);
    });
  });

  it('names Redis that is unavailable, or refuses the password', async function () {
    const away = await checked({ SVC_REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    expect(away.fails.join('\n')).to.match(/fails SVC_REDIS_URL: .*ECONNREFUSED/u);
    const redis = await startRedis();
    if (redis === null) return;
    const right = await checked({ SVC_REDIS_URL: redis.url });
    const wrong = await checked({
      SVC_REDIS_URL: Object.assign(new URL(redis.url), { username: 'nobody', password: 'wrong' })
        .href,
    });
    await redis.stop();
    expect(right.lines).to.include('ok    SVC_REDIS_URL');
    expect(wrong.fails.join('\n')).to.match(/fails SVC_REDIS_URL: .*WRONGPASS/u);
  });

  it('names Redis that may forget what it was given', async function () {
    const redis = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
    if (redis === null) return this.skip();
    const { fails } = await checked({ SVC_REDIS_URL: redis.url });
    await redis.stop();
    expect(fails.join('\n')).to.match(/fails SVC_REDIS_URL: .*Set maxmemory-policy to noeviction/u);
  });
});
