import { createHash } from 'node:crypto';
import { networkInterfaces, release } from 'node:os';
import { basename, join } from 'node:path';
import { writeNewFile } from '../../../infrastructure/ceremony/privateFiles.ts';
import { programVersion } from '../../../infrastructure/version.ts';
import { askAll, type Script } from './script.ts';

/** A file of a ceremony, by its path. */
export interface Artefact {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Place, people and begin of a ceremony. */
export interface Attendance {
  readonly place: string;
  readonly present: readonly string[];
  readonly begunAt: Date;
}

/** SHA-256, hexadecimal. */
export const sha256 = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex');

/**
 * Opens a ceremony: looks for networks, asks where it is held and who is there.
 *
 * @throws NotConfirmed when the machine has a network and nobody answers for it
 */
export async function openCeremony(script: Script): Promise<Attendance> {
  const begunAt = new Date();
  const networks = Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some(({ internal }) => !internal) === true)
    .map(([name]) => name);
  script.tell(
    networks.length === 0
      ? 'This machine has no network.'
      : `This machine has a network (${networks.join(', ')}). Disconnect it: a root key is created and used on a machine without a network.`,
  );
  if (networks.length > 0) await script.confirm('that the network is accepted');
  const place = await script.ask('Place');
  const present = await askAll(script, 'Present');
  if (place === '' || present.length === 0) {
    throw new Error('The record needs the place of the ceremony and the names of those present.');
  }
  return { place, present, begunAt };
}

/**
 * Writes the record of a ceremony, and its signature by the root key beside it.
 *
 * @returns path of the record
 */
export async function writeRecord(
  directory: string,
  {
    what,
    attendance: { place, present, begunAt },
    script,
    artefacts,
    sign,
  }: {
    readonly what: string;
    readonly attendance: Attendance;
    readonly script: Script;
    readonly artefacts: readonly Artefact[];
    /** ECDSA with SHA-384 by the root key, DER. */
    readonly sign: (text: string) => Promise<Buffer>;
  },
): Promise<string> {
  const endedAt = new Date();
  const text = [
    `Record of a key ceremony: ${what}`,
    '',
    `Begun:   ${begunAt.toISOString()}`,
    `Ended:   ${endedAt.toISOString()}`,
    `Place:   ${place}`,
    `Program: tamga ${programVersion()}, Node.js ${process.version}, OpenSSL ${process.versions.openssl}, ${process.platform} ${release()} ${process.arch}`,
    '',
    'Present, who sign here on paper:',
    ...present.map((name) => `  ${name}  ____________________`),
    '',
    'Course:',
    ...script.transcript().map((line) => `  ${line}`),
    '',
    'Files, by SHA-256:',
    ...artefacts.map(({ path, content }) => `${sha256(content)}  ${basename(path)}`),
    '',
  ].join('\n');
  const stamp = endedAt.toISOString().replaceAll(/[-:.]/g, '');
  const path = join(directory, `record-${stamp}.txt`);
  await writeNewFile(path, text);
  await writeNewFile(`${path}.sig`, await sign(text));
  return path;
}
