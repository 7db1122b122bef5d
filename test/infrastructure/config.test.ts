import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  ConfigurationError,
  configurationTable,
  readConfig,
  settings,
} from '../../infrastructure/config/config.ts';
import { doubtful, openOutsideProduction } from '../../infrastructure/config/productionRules.ts';
import { identityProofing } from '../../infrastructure/config/identityVerificationSettings.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';

const masterKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64');
const production = {
  SVC_DATABASE_URL: 'postgres://tamga@db/tamga?sslmode=verify-full',
  SVC_SW_MASTER_KEY: masterKey,
  SVC_RP_API_BASE: 'https://rp.example.mn',
  SVC_PKI_POLICY_ARC: '1.3.6.1.4.1.32473.1',
};

function faultsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe('The configuration', () => {
  it('needs nothing in the development profile', () => {
    const config = readConfig({ SVC_PROFILE: 'development' });
    expect(config.SVC_PORT).to.equal(8080);
    expect(config.SVC_ROLES).to.deep.equal(['api', 'projector', 'worker']);
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it('O9: says what is wrong between settings beside what is wrong in one', () => {
    const faults = faultsOf({
      ...production,
      SVC_PORT: 'http',
      SVC_TLS_KEY: '/etc/key.pem',
      SVC_PKCS11_MODULE: '/usr/lib/token.so',
    });
    expect(faults).to.include('SVC_PORT: must be a number');
    expect(faults).to.include('SVC_TLS_CERT: needed together with SVC_TLS_KEY');
    expect(faults.join('\n')).to.match(/^SVC_PKCS11_TOKEN, SVC_PKCS11_PIN: needed together/mu);
  });

  it('O9: does not say of a setting that has a wrong value that it has none', () => {
    const faults = faultsOf({ ...production, SVC_SW_MASTER_KEY: 'short' });
    expect(faults.filter((fault) => fault.includes('SVC_SW_MASTER_KEY'))).to.have.length(1);
  });

  it('O9: takes the address of the API without /v3, and a port once', () => {
    const development = { SVC_PROFILE: 'development' };
    for (const name of ['SVC_RP_API_BASE', 'SVC_BASE_URL']) {
      expect(faultsOf({ ...development, [name]: 'https://rp.example.mn/v3' })).to.deep.equal([
        `${name}: must be without /v3, which is added`,
      ]);
    }
    expect(faultsOf({ ...development, SVC_MANAGEMENT_PORT: '8080' })).to.deep.equal([
      'SVC_MANAGEMENT_PORT: is also the port of SVC_PORT; choose another',
    ]);
    const console = { SVC_ROLES: 'api,console', SVC_CONSOLE_PORT: '8080' };
    expect(faultsOf({ ...development, ...console })).to.deep.equal([
      'SVC_CONSOLE_PORT: is also the port of SVC_PORT; choose another',
    ]);
    expect(faultsOf({ ...development, SVC_CONSOLE_PORT: '8080' })).to.deep.equal([]);
    expect(faultsOf({ ...development, SVC_PORT: '0', SVC_MANAGEMENT_PORT: '0' })).to.deep.equal([]);
  });

  it('O9: remarks on what production allows and is seldom meant', () => {
    const named = (environment: NodeJS.ProcessEnv) =>
      doubtful(readConfig(environment)).map((remark) => remark.split(':')[0]);
    const bare = { ...production, SVC_ADMIN_REQUIRE_4EYES: 'false' };
    expect(named(bare)).to.deep.equal([
      ...['SVC_PKI_OPERATOR_NAME', 'SVC_DOCUMENT_SIGNING_NAME', 'SVC_PKI_OPERATOR_ETSI'],
      ...['SVC_ADMIN_REQUIRE_4EYES', 'SVC_TRUSTED_PROXIES', 'SVC_REDIS_URL'],
    ]);
    const chosen = {
      SVC_PKI_OPERATOR_NAME: 'Registry',
      SVC_PKI_OPERATOR_ETSI: 'NTRMN-1234567',
      SVC_DOCUMENT_SIGNING_NAME: 'Registry',
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_TRUSTED_PROXIES: '10.0.0.1',
      SVC_SOLE_PROCESS: 'true',
    };
    expect(named({ ...production, ...chosen })).to.deep.equal([]);
    expect(named({ SVC_PROFILE: 'development' })).to.deep.equal([]);
  });

  it('O14: says of every value that does not fit what would, in no words of a library', () => {
    const development = { SVC_PROFILE: 'development' };
    const says = (name: string, value: string) =>
      faultsOf({ ...development, [name]: value }).join('\n');
    expect(says('SVC_PORT', 'http')).to.equal('SVC_PORT: must be a number');
    expect(says('SVC_PORT', '80.5')).to.equal('SVC_PORT: must be a whole number');
    expect(says('SVC_PORT', '99999')).to.equal('SVC_PORT: must be at most 65535');
    expect(says('SVC_ENROLMENT_BLOCK_HOURS', '-1')).to.equal(
      'SVC_ENROLMENT_BLOCK_HOURS: must be at least 0',
    );
    expect(says('SVC_ENROLMENT_BLOCK_HOURS', '0')).to.equal('');
    expect(says('SVC_SOLE_PROCESS', 'yes')).to.equal('SVC_SOLE_PROCESS: must be true or false');
    for (const name of Object.keys(settings)) {
      for (const value of ['?', '-1', 'x'.repeat(20_000)]) {
        expect(says(name, value), name).not.to.match(
          /Invalid|Too (small|big)|[Ee]xpected|received/,
        );
      }
    }
  });

  it('R5: refuses a break-glass key that is short anywhere, and one that can be guessed in production', () => {
    const short = { SVC_PROFILE: 'development', SVC_ADMIN_API_KEY: 'nineteen characters' };
    expect(faultsOf(short).join()).to.contain('SVC_ADMIN_API_KEY');
    const guessed = { ...production, SVC_ADMIN_API_KEY: 'abcabcabcabcabcabcabcabcabc' };
    expect(faultsOf(guessed).join()).to.contain('SVC_ADMIN_API_KEY: can be guessed');
    const random = { ...production, SVC_ADMIN_API_KEY: 'q9Zr3vX0mB7tLw2KsYd8' };
    expect(faultsOf(random).join()).not.to.contain('SVC_ADMIN_API_KEY');
  });

  it('F4: asks citizens under no name that is not seen or reads otherwise than it is stored', () => {
    for (const name of ['Тaмга', 'Tamga\u200b', '\u3164', 'Tamga  Sign', 'Т'.repeat(17)]) {
      const faults = faultsOf({ SVC_PROFILE: 'development', SVC_DOCUMENT_SIGNING_NAME: name });
      expect(faults.join(), name).to.contain('SVC_DOCUMENT_SIGNING_NAME: ');
    }
  });

  it('accepts every form of connection string that the clients of EventStoreDB do', () => {
    for (const url of [
      'esdb://a,b,c',
      'esdb+discover://log',
      'kurrentdb://u:p@127.0.0.1:2113?tls=false',
    ]) {
      expect(faultsOf({ ...production, SVC_EVENTSTORE_URL: url })).to.deep.equal([]);
    }
  });

  it('refuses a wrong connection string in one sentence that does not quote it', () => {
    const [fault = '', ...more] = faultsOf({
      ...production,
      SVC_EVENTSTORE_URL: 'esdb://u:hunter2@a:x',
    });
    expect(more).to.deep.equal([]);
    expect(fault).to.contain('SVC_EVENTSTORE_URL').and.to.contain('write each host as');
    expect(fault).not.to.contain('hunter2');
  });

  it('asks a worker that archives from EventStoreDB for the user that may delete there', () => {
    const archiving = {
      ...production,
      SVC_EVENTSTORE_URL: 'esdb://tamga:a@log',
      SVC_SESSION_RETENTION: '90',
      SVC_ARCHIVE_DIR: '/archive',
    };
    expect(faultsOf(archiving)).to.deep.equal([
      'SVC_SESSION_RETENTION: needs SVC_EVENTSTORE_ARCHIVE_URL if a worker archives from EventStoreDB',
    ]);
    const complete = { ...archiving, SVC_EVENTSTORE_ARCHIVE_URL: 'esdb://archive:b@log' };
    expect(faultsOf(complete)).to.deep.equal([]);
    expect(faultsOf({ ...archiving, SVC_ROLES: 'api' })).to.deep.equal([]);
  });

  it('F7: verifies identities by card number outside production alone, for advanced certificates', () => {
    const proofing = (environment: NodeJS.ProcessEnv) => identityProofing(readConfig(environment));
    expect(proofing(production)).to.deep.equal({
      citizenCard: false,
      unprovedLevel: 'ADVANCED',
      // From the beginning of the certificate, which is five minutes before its making.
      signingCoolingMs: 72 * 3_600_000 + 300_000,
      enrolmentBlockMs: 72 * 3_600_000,
    });
    expect(proofing({ SVC_PROFILE: 'development' })).to.deep.equal({
      citizenCard: true,
      unprovedLevel: 'QUALIFIED',
      signingCoolingMs: 0,
      enrolmentBlockMs: 72 * 3_600_000,
    });
    const set = {
      SVC_KYC_CITIZEN_CARD: 'true',
      SVC_KYC_UNPROVED_LEVEL: 'QUALIFIED',
      SVC_SIGNING_COOLING_HOURS: '0',
    };
    expect(proofing({ ...production, ...set })).to.deep.equal({
      citizenCard: true,
      unprovedLevel: 'QUALIFIED',
      signingCoolingMs: 0,
      enrolmentBlockMs: 72 * 3_600_000,
    });
  });

  for (const [setting, good, bad] of [
    ['SVC_HOST', ['::', '::1', '[::]', 'localhost', '0.0.0.0'], ['fe80::1%eth0', 'a:80', '127.1']],
    [
      'SVC_TRUSTED_PROXIES',
      ['192.0.2.7', '192.0.2.0/24', '2001:db8::/32', '::ffff:192.0.2.1'],
      ['0.0.0.0/0', '::/0', '192.0.2.7/24', 'proxy.example.mn'],
    ],
    [
      'SVC_CONSOLE_HOSTS',
      ['console.example.mn', '[::1]:8090', 'console.example.mn.:8443'],
      ['console.example.mn/a', '::1', 'https://console.example.mn'],
    ],
  ] as const) {
    it(`F7: ${setting} is read by the parser of hosts`, () => {
      for (const value of good) {
        expect(faultsOf({ ...production, [setting]: value }), value).to.deep.equal([]);
      }
      for (const value of bad) {
        expect(faultsOf({ ...production, [setting]: value }).join(), value).to.contain(setting);
      }
    });
  }

  it('F7: addresses are made of any host to listen on', () => {
    for (const [host, origin] of [
      ['::', 'http://127.0.0.1:3000'],
      ['0.0.0.0', 'http://127.0.0.1:3000'],
      ['::1', 'http://[::1]:3000'],
      ['[::1]', 'http://[::1]:3000'],
      ['localhost', 'http://localhost:3000'],
    ] as const) {
      const config = readConfig({ SVC_PROFILE: 'development', SVC_HOST: host, SVC_PORT: '3000' });
      expect(publicAddresses(config).rpApi, host).to.equal(origin);
    }
  });

  it('F9: asks timestamping authorities beyond this machine through https alone', () => {
    const asking = (SVC_TSA_URL: string) =>
      faultsOf({ ...production, SVC_TSA_URL, SVC_TSA_CA: '/etc/tsa.pem' });
    expect(asking('https://tsa.example.mn,http://127.0.0.1:318/tsa')).to.deep.equal([]);
    expect(asking('https://tsa.example.mn,http://tsa.example.com').join())
      .to.contain('SVC_TSA_URL')
      .and.to.contain('https');
  });

  it('accepts a complete production environment', () => {
    expect(faultsOf(production)).to.deep.equal([]);
  });

  it('names every fault at once and shows no value', () => {
    const faults = faultsOf({ SVC_PORT: 'many', SVC_ROLES: 'king', SVC_SW_MASTER_KEY: 'hunter2' });
    expect(faults.map((fault) => fault.split(':')[0])).to.have.members([
      'SVC_PORT',
      'SVC_ROLES',
      'SVC_SW_MASTER_KEY',
      // Settings that the environment lacks.
      ...['SVC_DATABASE_URL', 'SVC_RP_API_BASE', 'SVC_PKI_POLICY_ARC'],
    ]);
    expect(faults.join()).not.to.contain('hunter2');
  });

  it("hashes operators' passwords cheaper than OWASP recommends outside production alone", () => {
    const cheap = { SVC_ADMIN_PASSWORD_COST: '14' };
    expect(faultsOf({ ...production, ...cheap })).to.deep.equal([
      'SVC_ADMIN_PASSWORD_COST: must be 15 or more in production',
    ]);
    expect(faultsOf({ ...production, SVC_PROFILE: 'staging', ...cheap })).to.deep.equal([]);
    expect(readConfig(production).SVC_ADMIN_PASSWORD_COST).to.equal(15);
  });

  it('refuses to start production with development settings', () => {
    expect(faultsOf({}).join()).to.contain('SVC_DATABASE_URL').and.to.contain('SVC_SW_MASTER_KEY');
    const plain = { ...production, SVC_RP_API_BASE: 'http://rp.example.mn' };
    expect(faultsOf(plain).join()).to.contain('https');
    const zero = { ...production, SVC_SW_MASTER_KEY: Buffer.alloc(32).toString('base64') };
    expect(faultsOf(zero).join()).to.contain('not random');
  });

  it('R6: production lets no connection to a server leave this machine unencrypted', () => {
    const plain = {
      SVC_DATABASE_URL: ['postgres://t@db/t', 'postgres://t@db/t?sslmode=prefer'],
      SVC_REDIS_URL: ['redis://cache:6379'],
      SVC_EVENTSTORE_URL: ['esdb://a,b?tls=false', 'esdb+discover://log?tls=false'],
      SVC_FILE_SCANNER: ['tcp://clamd:3310'],
      SVC_PUSH_GATEWAY_URL: ['http://push.example.mn'],
    };
    const fine = {
      SVC_DATABASE_URL: ['postgres://t@db/t?sslmode=require', 'postgres://t@127.0.0.1/t'],
      SVC_REDIS_URL: ['rediss://cache:6379', 'redis://localhost', 'redis://[::1]:6379'],
      SVC_EVENTSTORE_URL: ['esdb://a,b', 'esdb://127.0.0.1:2113?tls=false'],
      SVC_FILE_SCANNER: ['unix:///run/clamd.sock', 'tcp://127.0.0.1:3310'],
      SVC_PUSH_GATEWAY_URL: ['https://push.example.mn', 'http://127.0.0.1:9'],
    };
    // Each node counts, and a host in any spelling.
    const further = {
      SVC_EVENTSTORE_URL: 'esdb://localhost,b?tls=false',
      SVC_RP_API_BASE: 'HTTP://rp.example.mn',
      SVC_DIRECTORY_URL: 'HTTP://registry.example.mn',
    };
    for (const [name, address] of Object.entries(further)) {
      const faults = faultsOf({ ...production, [name]: address }).join();
      expect(faults, address).to.match(new RegExp(`^${name}: must be`));
    }
    for (const [name, addresses] of Object.entries(plain)) {
      for (const address of addresses) {
        const [fault = '', ...more] = faultsOf({ ...production, [name]: address });
        expect(more).to.deep.equal([]);
        expect(fault, address).to.match(new RegExp(`^${name}: must be`));
        expect(faultsOf({ ...production, SVC_PROFILE: 'staging', [name]: address })).to.deep.equal(
          [],
        );
      }
    }
    for (const [name, addresses] of Object.entries(fine)) {
      for (const address of addresses) {
        expect(faultsOf({ ...production, [name]: address }), address).to.deep.equal([]);
      }
    }
    const named = { SVC_REDIS_URL: 'redis://cache', SVC_PLAINTEXT_HOSTS: 'Cache.' };
    expect(faultsOf({ ...production, ...named })).to.deep.equal([]);
  });

  it('N21: what a profile other than production leaves open is named', () => {
    const open = (environment: NodeJS.ProcessEnv) =>
      openOutsideProduction(readConfig({ ...production, ...environment })).join('\n');
    expect(open({})).to.equal('');
    const staging = { SVC_PROFILE: 'staging', SVC_RP_API_BASE: 'http://rp.example.mn' };
    for (const what of ['/phone', 'SVC_KYC_CITIZEN_CARD', 'SVC_ADMIN_REQUIRE_4EYES', 'https']) {
      expect(open(staging)).to.contain(what);
    }
  });

  it('lets no registration number leave for a registry service in the clear', () => {
    const plain = { ...production, SVC_DIRECTORY_URL: 'http://registry.example.mn' };
    expect(faultsOf(plain).join()).to.contain('SVC_DIRECTORY_URL').and.to.contain('https');
    expect(faultsOf({ ...plain, SVC_DIRECTORY_URL: 'https://registry.example.mn' })).to.deep.equal(
      [],
    );
  });

  it('lets no question to a language model leave the machine in the clear', () => {
    const at = (url: string) => faultsOf({ ...production, ANTHROPIC_BASE_URL: url });
    expect(at('http://models.example.mn').join()).to.contain('ANTHROPIC_BASE_URL: must be https');
    expect(at('https://models.example.mn')).to.deep.equal([]);
    expect(at('http://127.0.0.1:8000')).to.deep.equal([]);
  });

  it('takes no key for the issuer of operators’ own access tokens', () => {
    const keysOf = (issuer: string) => ({ SVC_AI_TOKEN_KEYS: `${issuer}=${'k'.repeat(32)}` });
    expect(faultsOf({ ...production, ...keysOf('https://issuer.example.mn') })).to.deep.equal([]);
    expect(faultsOf({ ...production, ...keysOf('urn:tamga:operators') })).to.have.length(1);
  });

  it('finds a misspelt variable', () => {
    expect(faultsOf({ ...production, SVC_PROT: '80' }).join()).to.contain('SVC_PROT');
  });

  it('reads a secret from the file its _FILE variable names', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tamga-config-'));
    const path = join(directory, 'key');
    writeFileSync(path, `${masterKey}\n`);
    const rest = {
      SVC_PKI_POLICY_ARC: production.SVC_PKI_POLICY_ARC,
      SVC_DATABASE_URL: production.SVC_DATABASE_URL,
      SVC_RP_API_BASE: production.SVC_RP_API_BASE,
    };
    const config = readConfig({ ...rest, SVC_SW_MASTER_KEY_FILE: path });
    rmSync(directory, { recursive: true });
    expect(config.SVC_SW_MASTER_KEY?.toString('base64')).to.equal(masterKey);
    expect(faultsOf({ ...rest, SVC_SW_MASTER_KEY_FILE: '/nowhere' }).join()).to.contain(
      'SVC_SW_MASTER_KEY_FILE',
    );
  });

  it('asks for the token and PIN with a PKCS#11 module', () => {
    const faults = faultsOf({ ...production, SVC_PKCS11_MODULE: '/lib/hsm.so' });
    expect(faults.join()).to.contain('SVC_PKCS11_TOKEN').and.to.contain('SVC_PKCS11_PIN');
  });

  it('has no setting that nothing reads', () => {
    const readers = [
      'main/main.ts',
      ...['main/cli', 'main/composition', 'infrastructure'].flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
          (path) => `${folder}/${path}`,
        ),
      ),
    ].filter(
      (path) => /^(?:main|infrastructure)\/.*\.ts$/.test(path) && !path.endsWith('/config.ts'),
    );
    const text = readers.map((path) => readFileSync(path, 'utf8')).join('\n');
    const unread = Object.keys(settings).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
    expect(unread).to.deep.equal([]);
  });

  it('is documented as it is', () => {
    const documented = readFileSync('docs/configuration.md', 'utf8');
    expect(documented).to.equal(configurationTable());
  });
});
