import { generateKeyPairSync } from 'node:crypto';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { eventLeafHash, type StoredEvent } from '../../domain/merkle/hashTree.ts';
import { revocationListsIn } from '../../infrastructure/pki/revocationListReader.ts';
import {
  type VerifiedIdentity,
  verifyByCitizenCard,
} from '../../apps/phone/identityVerification.ts';
import { createService } from '../../apps/phone/service.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { maintaining } from '../support/installation/installation.ts';
import { call, createLiveRelyingParty, enrolLivePhone } from '../../main/drill/callers.ts';
import {
  cycle,
  liveCitizen,
  type LiveInstallation,
  startInstallation,
} from '../support/installation/liveInstallation.ts';
import {
  askOcsp,
  type OcspStatusAt,
  openOcspRequests,
  openOcspStatus,
} from '../support/installation/ocspStatus.ts';
import {
  createServiceProcess,
  type ServiceProcess,
  type Settings,
} from '../support/installation/serviceProcess.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { queryOf, runTamga, tamgaCommand } from '../support/programs/tamgaCommand.ts';
import { run } from '../support/programs/tools.ts';
import {
  openOperatorWorld,
  type OperatorWorld,
  type SignedInOperator,
  type TestOperator,
} from '../support/worlds/operatorWorld.ts';

const [GOOD, REVOKED] = [0, 1];

describe('O2: an installation that was destroyed, restored from a backup that is older than it was', function () {
  this.timeout(120_000);
  let directory: string;
  let installed: LiveInstallation;
  let statusAt: OcspStatusAt;
  let lost: Settings;
  let restored: Settings;
  let service: ServiceProcess;
  /** Revoked after the backup, and issued and revoked after it. */
  let revoked: string;
  let unknown: string;
  /** Issued after the backup, and good when the rest was lost. */
  let unrevoked: string;
  let untouched: string;
  /** Revoked after everything but an OCSP answer. */
  let answered: string;
  /** One-time token of before the backup, used after it. */
  let used: VerifiedIdentity;
  let relyingPartyId: string;
  let operators: OperatorWorld;
  let two: readonly [SignedInOperator, SignedInOperator];
  let backupSays: string;
  let restoreSays: string;

  const path = (name: string) => join(directory, name);

  /** Accepts as the operator and the approver who answer the questions with these codes. */
  function accepting(
    [operator, approver]: readonly [TestOperator, TestOperator],
    codes: readonly [string, string],
  ) {
    const typed = 'printf "%s\\n" "$1" "$2" "$3" "$4" | { shift 4; exec "$@"; }';
    return run(
      'sh',
      ...['-c', typed, 'sh', operator.password, codes[0], approver.password, codes[1]],
      ...tamgaCommand(restored, [
        ...['restore', 'accept'],
        ...['--operator', operator.email, '--approver', approver.email],
      ]),
    );
  }

  const serialsOf = (civilId: string) =>
    maintaining(lost, async (on) =>
      (await on.listCertificates({ civilId })).map(({ serial }) => serial),
    );

  async function listOf(origin: string) {
    const answer = await fetch(`${origin}/crl`);
    const [list] = revocationListsIn(Buffer.from(await answer.arrayBuffer()));
    if (list === undefined) throw new Error('There is no list.');
    return list;
  }

  const restoring = (to: Settings, from: string, identity = 'identity', ...more: string[]) =>
    runTamga(to, 'restore', '--from', path(from), '--identity', path(identity), ...more);

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-backup-'));
    for (const name of ['identity', 'stranger']) {
      const { privateKey, publicKey } = generateKeyPairSync('x25519');
      await writeFile(path(name), privateKey.export({ format: 'pem', type: 'pkcs8' }));
      await writeFile(`${path(name)}.pub`, publicKey.export({ format: 'pem', type: 'spki' }));
    }
    lost = { SVC_DATABASE_URL: await migratedDatabase(), SVC_DATA_DIR: path('lost') };
    restored = { SVC_DATABASE_URL: await freshDatabase(), SVC_DATA_DIR: path('restored') };
    await mkdir(path('lost/files/ab'), { recursive: true });
    await writeFile(path('lost/files/ab/abcd'), 'sealed bytes');
    installed = await startInstallation(lost);
    const { origin } = installed.service;
    statusAt = await openOcspStatus(origin);
    operators = openOperatorWorld(origin);
    two = [await operators.signedIn('SUPER_ADMIN'), await operators.signedIn('SECURITY_OFFICER')];
    for (const number of [1, 3]) await enrolLivePhone(origin, liveCitizen(number));
    [revoked = '', answered = ''] = await serialsOf(liveCitizen(1).civilId);
    [untouched = ''] = await serialsOf(liveCitizen(0).civilId);
    await eventually(async () => expect(await statusAt(origin, revoked)).to.equal(GOOD));
    used = await verifyByCitizenCard(createService({ baseUrl: origin }), liveCitizen(4).card);

    // Under load: sessions begin and end while the snapshot is read.
    const done = new AbortController();
    let cycles = 0;
    const load = (async () => {
      for (; !done.signal.aborted; cycles += 1) await cycle(installed);
    })();
    await eventually(() => Promise.resolve(expect(cycles).to.be.above(1)));
    const cyclesBefore = cycles;
    const backedUp = await runTamga(
      lost,
      ...['backup', '--to', path('backup'), '--recipient', `${path('identity')}.pub`],
    );
    expect(cycles, 'of the load, while it was backed up').to.be.above(cyclesBefore);
    done.abort();
    await load;
    expect(backedUp.code, backedUp.output).to.equal(0);
    backupSays = backedUp.output;

    // Changes that the backup does not know.
    await enrolLivePhone(origin, liveCitizen(2));
    await enrolLivePhone(origin, { ...liveCitizen(4), card: used });
    [unknown = '', unrevoked = ''] = await serialsOf(liveCitizen(2).civilId);
    await maintaining(lost, async (on) => {
      await on.revokeCertificate(revoked, 1);
      await on.revokeCertificate(unknown, 4);
      await on.forgetPerson(liveCitizen(3).civilId);
      relyingPartyId = (await on.listRelyingParties())[0]?.relyingPartyId ?? '';
      await on.rotateSecret(relyingPartyId);
    });
    await eventually(async () => {
      const { revoked: listed } = await listOf(origin);
      expect(listed.has(revoked) && listed.has(unknown)).to.equal(true);
    });
    const published = await fetch(`${origin}/crl`);
    await writeFile(path('last.crl'), Buffer.from(await published.arrayBuffer()));
    const exported = await runTamga(lost, 'audit', 'export', path('last.jsonl'));
    expect(exported.code, exported.output).to.equal(0);
    await maintaining(lost, (on) => on.revokeCertificate(answered, 1));
    await eventually(async () => expect(await statusAt(origin, answered)).to.equal(REVOKED));
    const request = (await openOcspRequests(origin))(answered);
    await writeFile(path('last.ocsp'), await askOcsp(origin, request));
    const head = await two[0].call('POST', '/audit/tree-head');
    await writeFile(path('head.json'), JSON.stringify(head.body));
    await copyFile(path('last.jsonl.keys.pem'), path('head.json.keys.pem'));
    await installed.service.stop();
    await destroy();
  });

  /** Leaves nothing of the installation but its backup and what others have of it. */
  async function destroy(): Promise<void> {
    const url = new URL(lost['SVC_DATABASE_URL'] ?? '');
    const server = { SVC_DATABASE_URL: Object.assign(new URL(url), { pathname: 'postgres' }).href };
    await queryOf(server, `drop database ${url.pathname.slice(1)} with (force)`);
    await rm(path('lost'), { recursive: true });
  }

  /** Hashes the events of the restored log up to the end of the backup, and nothing else. */
  async function rootOf(head: string): Promise<string> {
    const events = await queryOf<Record<keyof StoredEvent, string>>(
      restored,
      `select position, stream, revision, event_id as id, type, data, metadata from event
       where position <= ${head} order by position`,
    );
    const tree = createFrontier();
    for (const { position, revision, ...event } of events) {
      const numbers = { position: BigInt(position), revision: BigInt(revision) };
      tree.append(eventLeafHash({ ...event, ...numbers }));
    }
    return tree.root().toString('base64');
  }

  after(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  it('is not restored from a backup that is not whole, or for others', async () => {
    const stranger = await restoring(restored, 'backup', 'stranger');
    expect(stranger.output).to.match(
      /\.age is encrypted to another recipient: no given identity opens it/,
    );
    expect(stranger.code).to.equal(1);
    await run('cp', '-r', path('backup'), path('damaged'));
    const pieces = await readdir(path('damaged/pieces'), { recursive: true });
    const piece = pieces.find((name) => name.endsWith('.age')) ?? '';
    await truncate(path(`damaged/pieces/${piece}`), 100);
    expect((await restoring(restored, 'damaged')).output).to.match(
      new RegExp(`${piece} is truncated: it has 100 of \\d+ bytes`, 'u'),
    );
    const [name = ''] = await readdir(path('damaged/backups'));
    const manifest = await readFile(path(`damaged/backups/${name}`), 'utf8');
    await writeFile(
      path(`damaged/backups/${name}`),
      manifest.replace('"madeAt": "2', '"madeAt": "1'),
    );
    expect((await restoring(restored, 'damaged')).output).to.match(/was changed after the backup/);
    const tables = await queryOf(restored, `select from pg_tables where tablename = 'event'`);
    const events = tables.length === 0 ? [] : await queryOf(restored, 'select from event');
    expect(events).to.deep.equal([]);
  });

  it('has its backup among those of the place, until it is removed there', async () => {
    await run('cp', '-r', path('backup'), path('copied'));
    const id = /it is (\S+)\. /u.exec(backupSays)?.[1] ?? '';
    const listed = await runTamga(lost, 'backup', 'list', path('copied'));
    expect(listed.output).to.match(new RegExp(`^${id}  release \\S+, \\d+ events, .* MB$`, 'mu'));
    const verified = await runTamga(restored, 'backup', 'verify', '--from', path('copied'));
    expect(verified.code, verified.output).to.equal(0);
    expect(verified.output).to.match(/Read 1 backups with \d+ pieces: 0 faults/u);
    const removed = await runTamga(restored, 'backup', 'remove', path('copied'), id);
    expect(removed.output).to.match(new RegExp(`Removed ${id} and [\\d.]+ MB`, 'u'));
    const none = await runTamga(lost, 'backup', 'list', path('copied'));
    expect(none.output).to.match(/contains no backup/u);
    expect((await runTamga(restored, 'backup', 'verify', '--from', path('copied'))).code).to.equal(
      1,
    );
    expect((await restoring(restored, 'copied')).output).to.match(/contains no manifest/u);
  });

  it('has the log of the backup, by its Merkle root, and the files', async () => {
    const done = await restoring(restored, 'backup', 'identity', '--evidence', path('last.crl'));
    expect(done.code, done.output).to.equal(0);
    const lines = (await readFile(path('last.jsonl'), 'utf8')).trimEnd().split('\n');
    const at = Number((JSON.parse(lines.at(-1) ?? '{}') as { position: string }).position);
    const forged = JSON.stringify({
      ...(JSON.parse(lines.at(-1) ?? '{}') as object),
      position: String(at + 1),
      type: 'PersonForgotten',
    });
    await writeFile(path('forged.jsonl'), [...lines, forged, ''].join('\n'));
    for (const ending of ['proofs', 'keys.pem']) {
      await copyFile(path(`last.jsonl.${ending}`), path(`forged.jsonl.${ending}`));
    }
    const refused = await runTamga(restored, 'restore', 'evidence', path('forged.jsonl'));
    expect(refused.output).to.match(/forged\.jsonl does not verify/);
    expect(refused.code).to.equal(1);
    const last = ['last.jsonl', 'last.ocsp', 'head.json'].map(path);
    const taken = await runTamga(restored, 'restore', 'evidence', ...last);
    expect(taken.code, taken.output).to.equal(0);
    restoreSays = done.output + taken.output;
    const end = /up to position (\d+), Merkle root (\S+)\./u;
    const [, head = '', root = ''] = end.exec(backupSays) ?? [];
    expect(end.exec(restoreSays)?.slice(1)).to.deep.equal([head, root]);
    expect(await rootOf(head)).to.equal(root);
    expect(await readFile(path('restored/files/ab/abcd'), 'utf8')).to.equal('sealed bytes');
  });

  it('is not written over another', async () => {
    const over = await restoring(restored, 'backup');
    expect(over.output).to.match(/is not empty. Restore the backup into a new database/);
    expect(over.code).to.equal(1);
  });

  it('lists what the evidence shows and the backup has not', () => {
    expect(restoreSays).to.include(`done again: certificate ${revoked} (personal), revoked`);
    expect(restoreSays).to.match(
      new RegExp(`done again: certificate ${unknown} .*; it was issued after the backup`, 'u'),
    );
    // Revoked by nobody before the loss; nobody could afterwards.
    expect(restoreSays).to.match(
      new RegExp(`certificate ${unrevoked} .*; it was issued after`, 'u'),
    );
    expect(restoreSays).to.match(/done again: revocation list \d+ of \S+ \(personal\)/u);
    expect(restoreSays).to.match(/done again: export up to position \d+/u);
    expect(restoreSays).to.include(`done again: secret of relying party ${relyingPartyId} `);
    expect(restoreSays).to.include(`person of civil id ${liveCitizen(3).civilId} forgotten`);
    expect(restoreSays).to.include(`done again: certificate ${answered} (personal), revoked`);
    expect(restoreSays).to.match(/done again: OCSP answer of \S+ \(personal\)/u);
    expect(restoreSays).to.match(/TO DO: \d+ events are lost: head of the audit tree of \S+ over/u);
    expect(restoreSays).to.match(/TO DO: \d+ × DeviceEnrolled is lost/);
    expect(restoreSays).to.not.include(untouched);
  });

  it('serves nobody, signs nothing and says why, until it is accepted', async () => {
    const lists = 'select authority, number from revocation_list order by authority';
    const before = await queryOf(restored, lists);
    // Certificates of the service that have become due since the backup.
    await queryOf(restored, 'delete from service_identity');
    service = await createServiceProcess(restored, installed.service.origin);
    service.launch();
    const ready = await eventually(async () => call(`${service.origin}/readyz`), 30_000);
    expect(ready.status).to.equal(503);
    expect(ready.body['reasons'])
      .to.have.property('restored')
      .that.matches(/not accepted/);
    expect(await statusAt(service.origin, revoked)).to.equal('tryLater');
    expect(await statusAt(service.origin, untouched)).to.equal('tryLater');
    expect((await fetch(`${service.origin}/crl`)).status).to.equal(503);
    const { status } = await installed.relyingParty.create(installed.phone.civilId);
    expect(status).to.equal(503);
    expect(await queryOf(restored, lists)).to.deep.equal(before);
    const early = await runTamga(restored, 'restore', 'accept', '--yes');
    expect(early.output).to.match(/may still be valid. Accept it after \S+Z/u);
    // Sessions and codes of before the loss end meanwhile.
    await queryOf(
      restored,
      `update restored_backup set restored_at = now() - interval '10 minutes'`,
    );
    for (const [words, says] of [
      [[], /Name the operators who accept it/],
      [['--yes'], /Two operators must accept it/],
    ] as const) {
      const refused = await runTamga(restored, 'restore', 'accept', ...words);
      expect(refused.output).to.match(says);
      expect(refused.code).to.equal(1);
    }
    const wrong = await accepting(two, [operators.nextCode(two[0]), '000000']);
    expect(wrong.output).to.not.include('Accepted');
    expect(wrong.code).to.equal(1);
    expect((await call(`${service.origin}/readyz`)).status).to.equal(503);
  });

  it('has everything of the backup once accepted, and nothing of it is good again', async () => {
    const evidence = revocationListsIn(await readFile(path('last.crl')))[0];
    const codes = [operators.nextCode(two[0]), operators.nextCode(two[1])] as const;
    const accepted = await accepting(two, codes);
    expect(accepted.code, accepted.output).to.equal(0);
    await service.untilReady();
    const { status } = await installed.relyingParty.create(installed.phone.civilId);
    expect(status, 'the secret from before its rotation').to.equal(401);
    const old = await call(`${service.origin}/v3/admin/admins`, {
      headers: { authorization: `Bearer ${two[0].token}` },
    });
    expect(old.status, 'the session of an operator, who may have signed out since').to.equal(401);
    const reused = enrolLivePhone(service.origin, { ...liveCitizen(4), card: used });
    expect(
      await rejection(reused),
      'a one-time token that was used after the backup',
    ).to.have.property('code', 'ENROLMENT_TOKEN_INVALID');
    const secret = await maintaining(restored, async (on) => {
      expect(await on.isForgotten(liveCitizen(3).civilId)).to.equal(true);
      return on.rotateSecret(relyingPartyId);
    });
    const relyingParty = createLiveRelyingParty(service.origin, secret);
    await cycle({ ...installed, service, relyingParty });
    expect(await statusAt(service.origin, untouched)).to.equal(GOOD);
    for (const serial of [revoked, unknown, answered]) {
      expect(await statusAt(service.origin, serial), serial).to.equal(REVOKED);
    }
    await eventually(async () => {
      const list = await listOf(service.origin);
      expect((list.number ?? 0n) > (evidence?.number ?? 0n)).to.equal(true);
      for (const serial of [revoked, unknown]) {
        expect(list.revoked.get(serial)).to.deep.equal(evidence?.revoked.get(serial));
      }
    });
    const [event] = await queryOf<{ data: string }>(
      restored,
      `select data from event where type = 'RestoredLogAccepted'`,
    );
    expect(JSON.parse(event?.data ?? '{}')).to.include({
      operator: two[0].id,
      approver: two[1].id,
    });
  });
});
