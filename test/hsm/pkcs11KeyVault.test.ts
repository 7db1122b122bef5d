import { execFile } from 'node:child_process';
import { createPublicKey, randomBytes, verify, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pkcs11js from 'pkcs11js';
import { Misconfigured, Overloaded, Unavailable } from '../../application/ports/faults.ts';
import { exitCodeOf } from '../../main/cli/formatError.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { createPkcs11KeyVault, type WithLock } from '../../infrastructure/hsm/pkcs11KeyVault.ts';
import {
  createPkcs11Token,
  type Pkcs11Token,
  type Pkcs11TokenOptions,
} from '../../infrastructure/hsm/pkcs11Token.ts';
import { createTokenKeys } from '../../infrastructure/hsm/tokenKeys.ts';
import { createTokenThread, type TokenThread } from '../../infrastructure/hsm/tokenThread.ts';
import { createAdvisoryLock } from '../../infrastructure/postgres/advisoryLock.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { certificatePem, writeTrustFiles } from '../../infrastructure/pki/trustFiles.ts';
import { describeKeyVault } from '../contracts/keyVaultContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { startTestAuthority } from '../support/doubles/memoryPki.ts';
import { ecKey, order } from '../support/pki/pkiFixtures.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import {
  createTemporaryToken,
  softHsmModule,
  type TemporaryToken,
} from '../support/programs/softhsm.ts';

const run = promisify(execFile);

describe('PKCS#11 key vault', () => {
  let temporary: TemporaryToken;
  let pool: ReturnType<typeof createPool>;
  let withLock: WithLock;
  let vault: KeyVault;
  let sibling: KeyVault;
  const tokens: Pkcs11Token[] = [];

  function openVault(options: Partial<Pkcs11TokenOptions> = {}): KeyVault {
    const { modulePath, tokenLabel, pin } = temporary;
    const token = createPkcs11Token({ modulePath, tokenLabel, pin, reconnectMs: 0, ...options });
    tokens.push(token);
    return createPkcs11KeyVault({ tokenKeys: createTokenKeys(token), withLock });
  }

  before(async function () {
    if (softHsmModule === null) {
      console.log('skipped: SoftHSM2 is not installed (Debian package softhsm2)');
      this.skip();
    }
    temporary = await createTemporaryToken(softHsmModule);
    pool = createPool({ url: await freshDatabase() });
    withLock = createAdvisoryLock(pool);
    vault = openVault();
    sibling = openVault();
  });

  after(async () => {
    for (const token of tokens) token.stop();
    await (pool as typeof pool | undefined)?.end();
    await (temporary as TemporaryToken | undefined)?.remove();
  });

  /** A second door to the same module of this process, to take sessions or the whole module away. */
  function otherDoor(): pkcs11js.PKCS11 {
    const module = new pkcs11js.PKCS11();
    module.load(temporary.modulePath);
    return module;
  }

  /** The token's private keys of that label, seen through a session of their own. */
  function privateKeys(label: string) {
    const module = otherDoor();
    const slot = module
      .C_GetSlotList(true)
      .find((each) => module.C_GetTokenInfo(each).label.trimEnd() === temporary.tokenLabel);
    const session = module.C_OpenSession(slot ?? Buffer.alloc(0), pkcs11js.CKF_SERIAL_SESSION);
    module.C_FindObjectsInit(session, [
      { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_PRIVATE_KEY },
      { type: pkcs11js.CKA_LABEL, value: label },
    ]);
    const keys = module.C_FindObjects(session, 10);
    module.C_FindObjectsFinal(session);
    return { module, session, keys };
  }

  /** Takes the token away, as when the device is pulled, for the time of `work`. */
  async function whileAway(work: () => Promise<void>): Promise<void> {
    otherDoor().C_Finalize();
    process.env['SOFTHSM2_CONF'] = temporary.emptyConfiguration;
    try {
      await work();
    } finally {
      try {
        otherDoor().C_Finalize();
      } catch {
        // The vault did, looking for the token.
      }
      process.env['SOFTHSM2_CONF'] = temporary.configuration;
    }
  }

  async function expectSigning(label: string): Promise<void> {
    const key = await vault.ensureKey(label, 'P-256');
    const publicKey = createPublicKey({ key: key.publicKey, format: 'der', type: 'spki' });
    const message = randomBytes(50);
    const signature = await vault.sign(label, message, 'SHA256');
    expect(verify('SHA256', message, publicKey, signature)).to.equal(true);
  }

  describeKeyVault('PKCS#11 key vault on SoftHSM2', () => ({ vault, sibling }));

  describe('in a thread of its own', () => {
    const threads: TokenThread[] = [];

    function openThread(options: Partial<Pkcs11TokenOptions> = {}): TokenThread {
      const { modulePath, tokenLabel, pin } = temporary;
      const thread = createTokenThread({ modulePath, tokenLabel, pin, ...options });
      threads.push(thread);
      return thread;
    }
    const vaultOf = (tokenKeys: TokenThread) => createPkcs11KeyVault({ tokenKeys, withLock });

    after(() => Promise.all(threads.map((thread) => thread.stop())));

    const pair: { vault?: KeyVault; sibling?: KeyVault } = {};
    describeKeyVault('PKCS#11 key vault in a thread', () => ({
      vault: (pair.vault ??= vaultOf(openThread())),
      sibling: (pair.sibling ??= vaultOf(openThread())),
    }));

    it('says Unavailable for a wrong label and a missing module, and why', async () => {
      const wrong = { tokenLabel: 'another', modulePath: '/nonexistent.so' };
      for (const [option, value] of Object.entries(wrong)) {
        const error = await rejection(vaultOf(openThread({ [option]: value })).check());
        expect(error, option).to.be.instanceOf(Unavailable);
        expect(error, option).to.have.nested.property('cause.message').that.is.not.equal('');
      }
    });

    it('refuses more work than it can queue', async () => {
      const small = vaultOf(openThread({ sessions: 1, maxWaiting: 2 }));
      await small.ensureKey('crowded', 'P-256');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 6 }, () => small.signDigest('crowded', randomBytes(32))),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).to.have.length(3);
      for (const { reason } of refused) expect(reason).to.be.instanceOf(Overloaded);
    });

    it('fails what is in flight when it is stopped, and starts again', async () => {
      const thread = openThread();
      const restarted = vaultOf(thread);
      await restarted.ensureKey('again', 'P-256');
      const signing = rejection(restarted.signDigest('again', randomBytes(32)));
      await thread.stop();
      expect(await signing).to.be.instanceOf(Unavailable);
      expect(await restarted.signDigest('again', randomBytes(32))).to.have.length.greaterThan(60);
    });
  });

  it('makes keys that are sensitive and cannot be taken out', async () => {
    await vault.ensureKey('inside', 'P-256');
    const { module, session, keys } = privateKeys('inside');
    const [key] = keys;
    const flags = [
      pkcs11js.CKA_SENSITIVE,
      pkcs11js.CKA_EXTRACTABLE,
      pkcs11js.CKA_ALWAYS_SENSITIVE,
      pkcs11js.CKA_NEVER_EXTRACTABLE,
    ];
    const values = flags.map((type) => {
      const [attribute] = module.C_GetAttributeValue(session, key ?? Buffer.alloc(0), [{ type }]);
      return Buffer.isBuffer(attribute?.value) && attribute.value[0] === 1;
    });
    expect(values).to.deep.equal([true, false, true, true]);
    expect(() =>
      module.C_GetAttributeValue(session, key ?? Buffer.alloc(0), [{ type: pkcs11js.CKA_VALUE }]),
    ).to.throw('CKR_ATTRIBUTE_SENSITIVE');
    module.C_CloseSession(session);
  });

  it('N17: makes keys that sign and do nothing else', async () => {
    await vault.ensureKey('confined', 'P-256');
    const { module, session, keys } = privateKeys('confined');
    const [key = Buffer.alloc(0)] = keys;
    const flags = {
      sign: pkcs11js.CKA_SIGN,
      decrypt: pkcs11js.CKA_DECRYPT,
      unwrap: pkcs11js.CKA_UNWRAP,
      signRecover: pkcs11js.CKA_SIGN_RECOVER,
      derive: pkcs11js.CKA_DERIVE,
      modifiable: pkcs11js.CKA_MODIFIABLE,
    };
    const may = Object.entries(flags).filter(([, type]) => {
      const [attribute] = module.C_GetAttributeValue(session, key, [{ type }]);
      return Buffer.isBuffer(attribute?.value) && attribute.value[0] === 1;
    });
    expect(may.map(([name]) => name)).to.deep.equal(['sign']);
    module.C_CloseSession(session);
  });

  it('makes one key when several processes want it at once', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? vault : sibling).ensureKey('wanted', 'P-256'),
      ),
    );
    const { module, session, keys } = privateKeys('wanted');
    module.C_CloseSession(session);
    expect(keys).to.have.length(1);
  });

  it('holds the CA keys: openssl verifies a certificate signed in the token', async () => {
    const { authority, stop } = await startTestAuthority({ vault });
    const directory = await mkdtemp(join(tmpdir(), 'tamga-hsm-pki-'));
    const trust = await writeTrustFiles(directory, authority.certificates);
    const path = join(directory, 'leaf.pem');
    await writeFile(path, certificatePem(await authority.issue(order(ecKey().publicKey))));

    const { stdout } = await run('openssl', [
      ...['verify', '-x509_strict', '-CAfile', trust.anchorsPem],
      ...['-untrusted', trust.intermediatesPem, path],
    ]);

    expect(stdout.trim()).to.equal(`${path}: OK`);
    const inToken = await vault.findKey('ca-root');
    const root = new X509Certificate(authority.certificates.root);
    expect(root.publicKey.export({ format: 'der', type: 'spki' })).to.deep.equal(
      inToken?.publicKey,
    );
    await stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('does not keep the event loop while signing thousands', async () => {
    const { modulePath, tokenLabel, pin } = temporary;
    const thread = createTokenThread({ modulePath, tokenLabel, pin, maxWaiting: 3000 });
    const patient = createPkcs11KeyVault({ tokenKeys: thread, withLock });
    await patient.ensureKey('busy', 'P-256');
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let turns = 0;
    let isSigning = true;
    const countTurn = () => {
      turns += 1;
      if (isSigning) setImmediate(countTurn);
    };
    delay.enable();
    setImmediate(countTurn);
    await Promise.all(
      Array.from({ length: 3000 }, () => patient.signDigest('busy', randomBytes(32))),
    );
    isSigning = false;
    delay.disable();
    await thread.stop();
    console.log(
      `3,000 signatures: ${turns} turns of the event loop, 99 of 100 within ${Math.round(delay.percentile(99) / 1e6)} ms`,
    );
    // Signed on the main thread, they would all fit in a few turns.
    expect(turns).to.be.greaterThan(300);
    expect(delay.percentile(99) / 1e6).to.be.lessThan(250);
  });

  it('signs again after all sessions of the token were closed', async () => {
    await expectSigning('resilient');
    const module = otherDoor();
    for (const slot of module.C_GetSlotList(true)) module.C_CloseAllSessions(slot);
    await expectSigning('resilient');
  });

  it('loses no signature of many in flight when the sessions are closed under them', async () => {
    await vault.ensureKey('resilient', 'P-256');
    const signing = Array.from({ length: 300 }, () =>
      vault.signDigest('resilient', randomBytes(32)),
    );
    const module = otherDoor();
    for (const slot of module.C_GetSlotList(true)) module.C_CloseAllSessions(slot);
    const signatures = await Promise.all(signing);
    expect(signatures).to.have.length(300);
  });

  it('throws Unavailable while the token is removed and signs when it is back', async () => {
    await expectSigning('resilient');
    await whileAway(async () => {
      for (const attempt of [
        () => vault.signDigest('resilient', randomBytes(32)),
        () => vault.check(),
        () => vault.ensureKey('another one', 'P-256'),
      ]) {
        const error = await rejection(attempt());
        expect(error).to.be.instanceOf(Unavailable).with.property('dependency', 'keyVault');
      }
    });
    await vault.check();
    await expectSigning('resilient');
  });

  it('says Unavailable for a wrong label and a missing module', async () => {
    for (const options of [{ tokenLabel: 'another' }, { modulePath: '/nonexistent/module.so' }]) {
      const error = await rejection(openVault(options).check());
      expect(error).to.be.instanceOf(Unavailable);
    }
  });

  it('does not try a wrong PIN a second time', async () => {
    for (const token of tokens) token.stop();
    const mistaken = openVault({ pin: 'wrong-pin' });
    const first = await rejection(mistaken.check());
    const second = await rejection(mistaken.check());
    expect(first).to.be.instanceOf(Unavailable);
    expect(first).to.have.nested.property('cause.message').that.includes('CKR_PIN_INCORRECT');
    expect(second).to.equal(first);
    await openVault({ loginAnyway: true }).check();
    await vault.check();
  });

  it('N16: enters no PIN after a wrong one, in any process, until it is told to', async () => {
    for (const token of tokens) token.stop();
    const wrong = await rejection(openVault({ pin: 'wrong-pin' }).check());
    expect(wrong).to.have.property('cause').that.is.instanceOf(Misconfigured);

    // Other processes, with the right PIN and with the wrong one: the token was asked, no PIN was entered.
    for (const pin of ['wrong-pin', temporary.pin]) {
      const refused = await rejection(openVault({ pin }).check());
      expect(refused).to.have.property('cause').that.is.instanceOf(Misconfigured);
      expect(refused).to.have.nested.property('cause.message').that.includes('LOGIN_ANYWAY');
      const { modulePath, tokenLabel } = temporary;
      const thread = createTokenThread({ modulePath, tokenLabel, pin });
      const throughThread = await rejection(thread.check());
      expect(throughThread).to.have.property('cause').that.is.instanceOf(Misconfigured);
      expect(exitCodeOf(throughThread)).to.equal(78);
      await thread.stop();
    }

    await openVault({ loginAnyway: true }).check();
    await openVault().check();
  });

  it('refuses more work than it can queue', async () => {
    const small = openVault({ sessions: 1, maxWaiting: 2 });
    await small.ensureKey('crowded', 'P-256');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => small.signDigest('crowded', randomBytes(32))),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).to.have.length(3);
    for (const outcome of refused) {
      expect(outcome.status === 'rejected' && outcome.reason).to.be.instanceOf(Overloaded);
    }
  });
});
