import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRoot } from '../../composition/offlineRoot.ts';
import {
  openKeptKey,
  readRootState,
  rewrapRootKey,
  type RootState,
  writeRootState,
} from '../../../infrastructure/ceremony/rootState.ts';
import { systemClock } from '../../../infrastructure/system.ts';
import { say } from '../say.ts';
import { askCustodians, askShares, handOutShares } from './custodians.ts';
import { openCeremony, sha256, writeRecord } from './record.ts';
import type { RootOptions } from './root.ts';
import { openScript, type Script } from './script.ts';

/**
 * Shares what opens the root among other custodians, and records it. The key stays; what opens it is drawn anew, so that
 * the shares before open older copies of `root.json` alone.
 */
export async function reshare({ dir, answers }: RootOptions): Promise<void> {
  const state = await readRootState(dir);
  const script = await openScript(answers);
  const attendance = await openCeremony(script);
  const before = await askShares(script, state);
  const secret = randomBytes(32);
  try {
    const custodians = await askCustodians(script);
    const pin = await askPin(script, state);
    const key = rewrapRootKey(state.key, { from: before, to: secret, pin });
    const { of } = state.shared;
    const shared = await handOutShares(script, secret, { ...custodians, of }, key);
    const next: RootState = {
      ...state,
      key,
      shared: { ...shared, custodians: [...shared.custodians] },
    };
    script.tell(
      [
        'Once the new shares are kept, these shares no longer open the root:',
        ...state.shared.custodians.map(({ name, sha256: hash }) => `  ${name}, SHA-256 ${hash}`),
        'They still open every older copy of root.json. Destroy those copies and the shares.',
      ].join('\n'),
    );
    await script.confirm('that the new custodians are kept');
    script.end();
    await writeRootState(dir, next);
    await record(dir, { script, attendance, state: next, secret });
  } finally {
    before.fill(0);
    secret.fill(0);
  }
}

/** Asks for a token's new PIN, which alone closes it to the former shares. */
async function askPin(script: Script, { key }: RootState): Promise<string | undefined> {
  if (key.kind !== 'token') return undefined;
  const path = await script.ask("File with the token's new PIN (empty: it stays)");
  if (path === '') {
    script.tell(
      'The PIN stays the same: the former shares still open it with an older copy of root.json.',
    );
    return undefined;
  }
  return (await readFile(path, 'utf8')).trim();
}

async function record(
  dir: string,
  {
    script,
    attendance,
    state,
    secret,
  }: {
    readonly script: Script;
    readonly attendance: Awaited<ReturnType<typeof openCeremony>>;
    readonly state: RootState;
    readonly secret: Buffer;
  },
): Promise<void> {
  const open = openKeptKey(state.key, secret);
  try {
    const root = await openRoot(open, state, systemClock);
    const names = ['root.pem', 'root.crl', 'root.json'].map((name) => join(dir, name));
    const artefacts = await Promise.all(
      names.map(async (path) => ({ path, content: await readFile(path) })),
    );
    const path = await writeRecord(dir, {
      what: 'the custodians of the Root CA were changed',
      attendance,
      script,
      artefacts,
      sign: (text) => root.signText(text),
    });
    say(`The root in ${dir} has other custodians, the record is ${path}.`);
    say(
      `SHA-256 of root.json now, ${sha256(await readFile(join(dir, 'root.json')))}. Destroy every other copy.`,
    );
  } finally {
    await open.stop();
  }
}
