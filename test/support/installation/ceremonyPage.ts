import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshDatabase } from '../programs/postgres.ts';
import { runShown, shownBlock } from '../programs/shownBlocks.ts';
import type { Settings } from './serviceProcess.ts';

/** A block of the page that is marked as tested. */
export const block = (name: string): string => shownBlock('docs/ceremony.md', name);

const hasNetwork = Object.values(networkInterfaces()).some(
  (addresses) => addresses?.some(({ internal }) => !internal) === true,
);

/** The page of the key ceremony, to be followed in a directory and on a database of its own. */
export async function openCeremonyPage(profile: 'staging' | 'development') {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-ceremony-'));
  const path = (name: string) => join(directory, name);
  const settings: Settings = {
    SVC_PROFILE: profile,
    SVC_DATABASE_URL: await freshDatabase(),
    SVC_SW_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    SVC_RP_API_BASE: 'https://eid.example.mn',
    SVC_PKI_BASE: 'http://eid.example.mn',
    SVC_PKI_POLICY_ARC: '1.3.6.1.4.1.99999.1',
    SVC_PKI_OPERATOR_NAME: 'Ministry of Examples',
    SVC_PKI_OPERATOR_ETSI: 'NTRMN-5512345',
    SVC_ADMIN_TOKEN_SECRET: 'a secret of the tests alone',
  };
  for (const medium of [...['root', 'transfer', 'chimeg', 'dorj', 'enkh'], ...['farid', 'gerel']])
    await mkdir(path(medium));
  let outputs = '';

  const inHere = (text: string) => text.replaceAll('/media/', `${directory}/`);

  /** Runs commands of the page. @returns exit code and output */
  async function runCommands(text: string, environment: Settings = {}) {
    const result = await runShown(inHere(text), directory, { ...settings, ...environment });
    outputs += result.output;
    return result;
  }

  return {
    settings,
    path,
    runCommands,
    async succeed(text: string, environment: Settings = {}): Promise<string> {
      const { code, output } = await runCommands(text, environment);
      expect(code, output).to.equal(0);
      return output;
    },
    /** Writes the answers of the page, for a machine that may have a network. */
    async answer(name: string, change: (text: string) => string = (text) => text): Promise<void> {
      const network = hasNetwork ? 'Confirm that the network is accepted: yes\n' : '';
      await writeFile(path(name), network + change(inHere(block(name))));
    },
    /** All that the commands said. */
    outputs: () => outputs,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

export type CeremonyPage = Awaited<ReturnType<typeof openCeremonyPage>>;
