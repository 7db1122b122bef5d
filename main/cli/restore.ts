import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { RestoredBackup } from '../../application/log/ports/restoredBackups.ts';
import { restoreBackup } from '../composition/backup.ts';
import type { OperatorProof } from '../composition/restored.ts';
import { identitiesIn } from '../../infrastructure/backup/ageKeys.ts';
import { keysIn, tellingParts } from './backup.ts';
import { commandConfig, withService } from './openService.ts';
import { say } from './say.ts';

export interface RestoreOptions {
  readonly from: string;
  /** Id of one of the backups there. */
  readonly backup?: string;
  readonly identity: readonly string[];
  readonly evidence?: readonly string[];
}

export interface AcceptOptions {
  /** Without operators: whoever has the machine. */
  readonly yes?: true;
  readonly operator?: string;
  readonly approver?: string;
}

/** Runs `./tamga restore`. */
export async function restore({
  from,
  backup,
  identity,
  evidence: files = [],
}: RestoreOptions): Promise<void> {
  const identities = await keysIn(identity, identitiesIn);
  const { log, madeAt } = await restoreBackup(commandConfig({ SVC_LOG_LEVEL: 'error' }), {
    from,
    ...(backup !== undefined && { backup }),
    identities,
    onProgress: tellingParts(),
  });
  say(
    `Restored the backup of ${madeAt}: ${log.events} events up to position ${log.head ?? 'none'}, Merkle root ${log.root}.`,
  );
  await evidence(files);
}

/** Takes in evidence of what happened after the backup, then shows what waits to be accepted. */
export async function evidence(paths: readonly string[]): Promise<void> {
  await withService(async ({ restored }) => {
    for (const path of paths) await restored.takeEvidence(path);
    const pending = await restored.pending();
    say(pending === null ? 'No restored backup is waiting to be accepted.' : statusText(pending));
  });
}

/** Accepts what was restored. Passwords and codes of operators are asked for on standard input. */
export async function accept({ yes, operator, approver }: AcceptOptions): Promise<void> {
  if (yes === undefined && (operator === undefined || approver === undefined)) {
    throw new Error(
      'Name the operators who accept it with --operator and --approver (e-mail addresses), or use --yes if fewer than two operators could.',
    );
  }
  const proofs =
    operator === undefined || approver === undefined ? null : await askedFor(operator, approver);
  await withService(async ({ restored }) => {
    await restored.accept(proofs);
    say('Accepted. Running processes serve and sign within seconds.');
  });
}

async function askedFor(
  operator: string,
  approver: string,
): Promise<readonly [OperatorProof, OperatorProof]> {
  // Echoes nothing: these are passwords.
  const output = new Writable({ write: (_piece, _encoding, done) => done() });
  const input = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  const lines = input[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    process.stderr.write(question);
    const line = await lines.next();
    if (line.done === true) throw new Error('The input ended. Nothing was accepted.');
    if (process.stdin.isTTY) process.stderr.write('\n');
    return line.value;
  };
  const proof = async (email: string): Promise<OperatorProof> => ({
    email,
    password: await ask(`Password of ${email}: `),
    code: await ask(`Code of their authenticator: `),
  });
  try {
    return [await proof(operator), await proof(approver)];
  } finally {
    input.close();
  }
}

function statusText({ madeAt, restoredAt, head, events, root, findings }: RestoredBackup): string {
  const merkleRoot = root === 'unknown' ? '' : `; Merkle root ${root}`;
  return [
    `Restored on ${restoredAt.toISOString()} from the backup of ${madeAt.toISOString()}. Nothing is served or signed`,
    `until this is accepted: in the console, or ./tamga restore accept.`,
    '',
    `The log ends at position ${head ?? 'none'}, after ${events} events${merkleRoot}.`,
    'Events after the backup are lost, unless they are listed as done again:',
    ...(findings.length === 0
      ? [
          '- none of them is known: give the last revocation lists and exports (./tamga restore evidence FILE…).',
        ]
      : findings.map(({ what, isApplied }) => `- ${isApplied ? 'done again' : 'TO DO'}: ${what}`)),
    '',
    'Accepting the restore ends what was issued earlier: logins, codes and tokens of OpenID Connect clients, sessions of',
    'operators, enrolment tokens. Secrets that relying parties or clients received after the backup are unknown here,',
    'and the earlier ones would work again. Rotate them (./tamga rp rotate, oidc rotate), and the keys that sign tokens',
    '(./tamga oidc rotate-keys).',
    'Before you accept, forget again every person who was forgotten after the backup (./tamga forget).',
  ].join('\n');
}
