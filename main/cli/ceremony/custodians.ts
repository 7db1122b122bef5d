import { readFile } from 'node:fs/promises';
import { writeNewFile } from '../../../infrastructure/ceremony/privateFiles.ts';
import {
  openKeptKey,
  type OpenRootKey,
  type RootKey,
  rootKeyLabel,
  type RootState,
} from '../../../infrastructure/ceremony/rootState.ts';
import {
  joinShares,
  type OpenShare,
  readShare,
  refuseBadNumbers,
  type SharedSecret,
  shareSecret,
  wipe,
} from '../../../infrastructure/ceremony/shares.ts';
import { askAll, type Script } from './script.ts';

/** Asks who the custodians are, and how many of them open the key. */
export async function askCustodians(script: Script) {
  const names = await askAll(script, 'Custodian');
  const threshold = Number(await script.ask('Shares that open the key'));
  refuseBadNumbers(names, threshold);
  script.tell(
    `Any ${threshold} of these ${names.length} together open the root key, fewer learn nothing of it:\n${names
      .map((name, index) => `  ${index + 1}. ${name}`)
      .join('\n')}`,
  );
  await script.confirm('the custodians');
  return { names, threshold };
}

/** Gives each custodian a share, reads it back, and opens the key with as few as are needed. */
export async function handOutShares(
  script: Script,
  secret: Buffer,
  sharing: Parameters<typeof shareSecret>[1],
  kept: RootKey,
): Promise<SharedSecret> {
  const { shared, texts } = await shareSecret(secret, sharing);
  const paths: string[] = [];
  for (const [index, text] of texts.entries()) {
    const { name = '', sha256: hash } = shared.custodians[index] ?? {};
    const path = await script.ask(`Share file of ${name}`);
    await writeNewFile(path, text);
    const share = readShare(await readFile(path, 'utf8'), path, shared);
    share.bytes.fill(0);
    script.tell(`Read back: the share of ${share.custodian.name}, SHA-256 ${hash}.`);
    await script.confirm(`that ${name} has the share`);
    paths.push(path);
  }
  await openBySharesAlone(paths, shared, kept);
  script.tell(`Tried: ${shared.threshold} of the shares open the key.`);
  return shared;
}

async function openBySharesAlone(
  paths: readonly string[],
  shared: SharedSecret,
  kept: RootKey,
): Promise<void> {
  // The last ones, so that not always the same are tried.
  const secret = await joined(paths.slice(-shared.threshold), shared);
  const opened = opening(kept, secret);
  try {
    await opened.vault.sign(rootKeyLabel, Buffer.from('trial'), 'SHA384');
  } finally {
    await opened.stop();
  }
}

/** Opens the root by shares that are asked for. */
export async function openByShares(script: Script, state: RootState): Promise<OpenRootKey> {
  return opening(state.key, await askShares(script, state));
}

/** Opens the key and wipes what opens it. */
function opening(key: RootKey, secret: Buffer): OpenRootKey {
  try {
    return openKeptKey(key, secret);
  } finally {
    secret.fill(0);
  }
}

async function joined(paths: readonly string[], shared: SharedSecret): Promise<Buffer> {
  const shares: OpenShare[] = [];
  try {
    for (const path of paths) shares.push(readShare(await readFile(path, 'utf8'), path, shared));
    return await joinShares(shares, shared);
  } finally {
    wipe(shares);
  }
}

/**
 * Asks for shares until there are enough; a wrong one is named and ends the ceremony.
 *
 * @returns what they open the key with; wiped by the caller
 */
export async function askShares(script: Script, { shared }: RootState): Promise<Buffer> {
  script.tell(`${shared.threshold} of ${shared.custodians.length} shares open the root key.`);
  const shares: OpenShare[] = [];
  try {
    while (new Set(shares.map(({ custodian }) => custodian.sha256)).size < shared.threshold) {
      const path = await script.ask('Share file (empty: no more)');
      if (path === '') break;
      const share = readShare(await readFile(path, 'utf8'), path, shared);
      script.tell(`The share of ${share.custodian.name}.`);
      shares.push(share);
    }
    return await joinShares(shares, shared);
  } finally {
    wipe(shares);
  }
}
