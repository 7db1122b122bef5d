import { expect } from 'chai';
import { SubjectForgotten } from '../../application/ports/personalDataVault.ts';
import {
  createPersonalDataVault,
  type VaultOptions,
  type WatchingVault,
} from '../../infrastructure/codec/personalDataVault.ts';
import type { PersonKeys } from '../../infrastructure/codec/personKeys.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testMasterKey } from '../support/doubles/vault.ts';

const BAT = '110000000001';
const SARAA = '110000000002';

/** Contract of every vault, wherever it stores its keys. `openKeys` opens the same keys again, like another process. */
export function personalDataVaultContract(start: () => Promise<() => PersonKeys>): void {
  let openKeys: () => PersonKeys;
  let now: number;
  let vault: WatchingVault;
  let elsewhere: WatchingVault;

  function process(options: Partial<VaultOptions> = {}): WatchingVault {
    return createPersonalDataVault({
      keys: openKeys(),
      masterKey: testMasterKey,
      elapsed: () => now,
      ...options,
    });
  }

  beforeEach(async () => {
    openKeys = await start();
    now = 1_000_000;
    vault = process();
    elsewhere = process();
  });

  it('opens in every process what one process encrypted', async () => {
    const encrypted = await vault.encrypt(BAT, 'Бат-Эрдэнэ');
    expect(encrypted).not.to.contain('Бат');
    expect(await vault.decrypt(BAT, encrypted)).to.equal('Бат-Эрдэнэ');
    expect(await elsewhere.decrypt(BAT, encrypted)).to.equal('Бат-Эрдэнэ');
  });

  it('encrypts the same text differently each time', async () => {
    expect(await vault.encrypt(BAT, 'same')).not.to.equal(await vault.encrypt(BAT, 'same'));
  });

  it('refuses to open what was encrypted for someone else or was altered', async () => {
    const encrypted = await vault.encrypt(BAT, 'private');
    await vault.encrypt(SARAA, 'x');
    expect(await rejection(vault.decrypt(SARAA, encrypted))).to.be.instanceOf(Error);
    const altered = Buffer.from(encrypted, 'base64');
    altered.writeUInt8(altered.readUInt8(14) ^ 1, 14);
    expect(await rejection(vault.decrypt(BAT, altered.toString('base64')))).to.be.instanceOf(Error);
    expect(await rejection(vault.decrypt(BAT, 'c2hvcnQ='))).to.be.instanceOf(Error);
  });

  it('settles on one key when several processes encrypt for a new person at the same time', async () => {
    const processes = [vault, elsewhere, process(), process()];
    const people = Array.from({ length: 50 }, (_, index) => String(120000000000 + index));
    const encrypted = await Promise.all(
      processes.map((one) => Promise.all(people.map((person) => one.encrypt(person, person)))),
    );
    const fresh = process();
    for (const texts of encrypted) {
      const opened = await Promise.all(
        texts.map((text, index) => fresh.decrypt(people[index] ?? '', text)),
      );
      expect(opened).to.deep.equal(people);
    }
  });

  it('opens nothing of a forgotten person and keeps everyone else readable', async () => {
    const encrypted = await vault.encrypt(BAT, 'private');
    const other = await vault.encrypt(SARAA, 'still here');
    const platform = await vault.encrypt(null, 'nobody in particular');
    await vault.forget(BAT);
    for (const one of [vault, process()]) {
      expect(await one.decrypt(BAT, encrypted)).to.equal(null);
      expect(await one.isForgotten(BAT)).to.equal(true);
      expect(await one.decrypt(SARAA, other)).to.equal('still here');
      expect(await one.isForgotten(SARAA)).to.equal(false);
      expect(await one.forgottenAmong([BAT, SARAA])).to.deep.equal(new Set([BAT]));
      expect(await one.decrypt(null, platform)).to.equal('nobody in particular');
    }
  });

  it('refuses new data of a forgotten person, also of one it never kept a key for', async () => {
    await vault.encrypt(BAT, 'private');
    await vault.forget(BAT);
    await vault.forget(SARAA);
    for (const one of [vault, process()]) {
      for (const person of [BAT, SARAA]) {
        expect(await rejection(one.encrypt(person, 'new'))).to.be.instanceOf(SubjectForgotten);
      }
    }
  });

  it('may forget the same person again, in any process', async () => {
    const encrypted = await vault.encrypt(BAT, 'private');
    await Promise.all([vault.forget(BAT), elsewhere.forget(BAT), vault.forget(BAT)]);
    await vault.forget(BAT);
    expect(await vault.decrypt(BAT, encrypted)).to.equal(null);
  });

  it('stops using a key destroyed by another process within the time allowed', async () => {
    const encrypted = await elsewhere.encrypt(BAT, 'private');
    await vault.forget(BAT);
    now += 3001;
    expect(await elsewhere.decrypt(BAT, encrypted)).to.equal(null);
    expect(await rejection(elsewhere.encrypt(BAT, 'new'))).to.be.instanceOf(SubjectForgotten);
  });

  it('learns of forgetting elsewhere before the time is over, without holding anyone up', async () => {
    const encrypted = await elsewhere.encrypt(BAT, 'private');
    const told = new Promise<string>((resolve) => elsewhere.onForgotten(resolve));
    await vault.forget(BAT);
    now += 1500;
    expect(await elsewhere.decrypt(BAT, encrypted)).to.equal('private');
    expect(await told).to.equal(BAT);
    expect(await elsewhere.decrypt(BAT, encrypted)).to.equal(null);
  });

  it('tells listeners in this process at once and only once, until they unregister', async () => {
    const told: string[] = [];
    const unregister = vault.onForgotten((subject) => told.push(subject));
    await vault.forget(BAT);
    await vault.forget(BAT);
    unregister();
    await vault.forget(SARAA);
    expect(told).to.deep.equal([BAT]);
  });

  it('notifies listeners of keys destroyed by another process, once started, also while unused', async () => {
    const watching = process({ staleAfterMs: 30 });
    await watching.start();
    const told = new Promise<string>((resolve) => watching.onForgotten(resolve));
    await vault.forget(SARAA);
    expect(await told).to.equal(SARAA);
    watching.stop();
  });

  it('notices the wrong master key before it encrypts anything under it', async () => {
    await vault.encrypt(BAT, 'private');
    const wrong = process({ masterKey: Buffer.alloc(32, 8) });
    expect(String(await rejection(wrong.encrypt(SARAA, 'x')))).to.match(/master key/);
    expect(String(await rejection(wrong.start()))).to.match(/master key/);
    expect(() => process({ masterKey: Buffer.alloc(16) })).to.throw('32 bytes');
  });

  it("never destroys the platform's own key", async () => {
    expect(await rejection(vault.forget('platform'))).to.be.instanceOf(Error);
  });

  it('fails loudly on data of a person it never kept a key for', async () => {
    const encrypted = await vault.encrypt(BAT, 'private');
    expect(String(await rejection(vault.decrypt(SARAA, encrypted)))).to.match(
      /No data key for the subject/,
    );
  });

  it('fingerprints a value the same way everywhere, differently for each purpose', () => {
    const index = vault.blindIndex('registrationNumber', 'аб00112233');
    expect(index).to.match(/^[0-9a-f]{64}$/);
    expect(elsewhere.blindIndex('registrationNumber', 'аб00112233')).to.equal(index);
    expect(vault.blindIndex('cardNumber', 'аб00112233')).not.to.equal(index);
    expect(vault.blindIndex('registrationNumber', 'аб00112234')).not.to.equal(index);
  });
}
