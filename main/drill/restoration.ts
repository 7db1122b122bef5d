import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { revocationListsIn } from '../../infrastructure/pki/revocationListReader.ts';
import { call, type LivePhone } from './callers.ts';
import { processNames, type Release, type Scratch } from './scratch.ts';

/** An installation restored from a backup that is older than it was; times of `performance.now()`, ms. */
export interface Restoration {
  /** Moment in which the old installation was gone. */
  readonly lostAt: number;
  readonly wholeAt: number;
  /** Faults of the restored installation, such as a certificate that is good again. */
  readonly wrong: readonly string[];
}

/**
 * Backs up under load, revokes a certificate, loses all processes and the database, restores elsewhere with the last
 * revocation list as evidence, and serves again.
 *
 * @param meanwhile load between the backup and the loss
 */
export async function restoreOlder(
  scratch: Scratch,
  release: Release,
  meanwhile: () => Promise<unknown>,
): Promise<Restoration> {
  const { directory, balancer, relyingParty } = scratch;
  const path = (name: string) => join(directory, name);
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  await writeFile(path('identity'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  await writeFile(path('recipient'), publicKey.export({ format: 'pem', type: 'spki' }));
  await scratch.tamga(release, 'backup', '--to', path('backup'), '--recipient', path('recipient'));
  await meanwhile();
  const [revoked, other] = scratch.phones as readonly [LivePhone, LivePhone];
  const listed = await scratch.tamga(release, 'certificate', 'list', '--citizen', revoked.civilId);
  const [serial = ''] = /[\dA-Fa-f]{16,}/u.exec(listed) ?? [];
  await scratch.tamga(release, 'certificate', 'revoke', serial, '--reason', '1');
  const has = (list: Buffer) =>
    revocationListsIn(list).some(({ revoked: serials }) => serials.has(serial.toLowerCase()));
  const list = await untilListed(balancer.origin, has);
  await writeFile(path('last.crl'), list);

  for (const name of processNames) await scratch.process(name).kill();
  const lostAt = performance.now();
  scratch.useDatabase(await scratch.postgres.createDatabase('restored'));
  await scratch.tamga(
    release,
    ...['restore', '--from', path('backup'), '--identity', path('identity')],
    ...['--evidence', path('last.crl')],
  );
  const wrong: string[] = [];
  for (const name of processNames) {
    const starting = scratch.process(name);
    scratch.relaunch(name, release);
    if (name !== 'api2') continue;
    const { status } = await untilAnswers(`${starting.origin}/readyz`);
    if (status !== 503) wrong.push(`/readyz answers ${status} before it is accepted`);
    const refused = await relyingParty.create(other.civilId, starting.origin);
    if (refused.status !== 503) wrong.push(`serves (${refused.status}) before it is accepted`);
  }
  await accept(scratch, release);
  for (const name of processNames) await scratch.process(name).untilReady();
  await balancer.untilUp(scratch.process('api1').origin);
  await balancer.untilUp(scratch.process('api2').origin);
  const { created, status } = await relyingParty.create(other.civilId);
  if (created === undefined) wrong.push(`a login is answered ${status}`);
  else if ((await other.confirm(created)) !== 'OK') wrong.push('a login is not confirmed');
  const wholeAt = performance.now();
  if (!has(await listOf(balancer.origin))) wrong.push('what was revoked is good again');
  return { lostAt, wholeAt, wrong };
}

/** Accepts what was restored once nothing of before the loss can be under way any more. */
async function accept(scratch: Scratch, release: Release): Promise<void> {
  for (;;) {
    try {
      await scratch.tamga(release, 'restore', 'accept', '--yes');
      return;
    } catch (error) {
      const [, from] = /accept it after (\S+Z)/u.exec(String(error)) ?? [];
      if (from === undefined) throw error;
      await pause(Date.parse(from) - Date.now() + 500);
    }
  }
}

async function listOf(origin: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${origin}/crl`)).arrayBuffer());
}

async function untilListed(origin: string, has: (list: Buffer) => boolean): Promise<Buffer> {
  for (;;) {
    const list = await listOf(origin);
    if (has(list)) return list;
    await pause(200);
  }
}

async function untilAnswers(url: string) {
  for (;;) {
    const answer = await call(url).catch(() => undefined);
    if (answer !== undefined) return answer;
    await pause(50);
  }
}
