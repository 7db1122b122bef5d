import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { caKinds, issuingCas } from '../../../domain/shared/issuingCas.ts';
import { withRootExchange } from '../../composition/rootExchange.ts';
import { writeNewFile } from '../../../infrastructure/ceremony/privateFiles.ts';
import { commandConfig, withService } from '../openService.ts';
import { say } from '../say.ts';

const takenAtStart =
  'Processes of the service use a revocation list at once, and certificates from their next start.';

export interface RequestOptions {
  readonly to: string;
  /** Kind of issuing CA whose next generation is asked for; default: the first of all there are. */
  readonly next?: string;
}

/** Writes requests for what the root certifies, for the machine without network. */
export async function request({ to, next }: RequestOptions): Promise<void> {
  const kind = caKinds.find((each) => each === next);
  if (next !== undefined && kind === undefined) {
    throw new Error(`--next must be one of ${caKinds.join(', ')}.`);
  }
  await withRootExchange(commandConfig(), async (exchange) => {
    const requests =
      kind === undefined ? await exchange.requests() : [await exchange.requestNext(kind)];
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const each of requests) {
      if ('installed' in each) {
        say(
          `The key of the root is on this installation and signed at once. Installed: ${each.installed}`,
        );
        say(takenAtStart);
        return;
      }
      const { name, file, keySha256 } = each;
      await writeNewFile(join(to, `${name}.csr`), file);
      say(`${name}.csr: key, SHA-256 ${keySha256}`);
    }
    say('Take the files and these lines to the ceremony, and run ./tamga ceremony sign there.');
  });
}

/** Installs what the root signed. */
export async function install(
  paths: readonly string[],
  { rootSha256 }: { readonly rootSha256?: string },
): Promise<void> {
  const files = new Map<string, Buffer>();
  for (const path of paths) files.set(path, await readFile(path));
  await withRootExchange(commandConfig(), async (exchange) => {
    for (const line of await exchange.install(files, rootSha256)) say(`Installed: ${line}`);
  });
  say(takenAtStart);
}

/** Lets a generation of an issuing CA issue from now on. */
export async function activate(name: string): Promise<void> {
  const authority = issuingCas.find((each) => each === name);
  if (authority === undefined) {
    throw new Error(`There is no issuing CA ${name}. Give a name such as personal-2.`);
  }
  await withService(async (service) => {
    const { commonName, notAfter } = await service.activateIssuingCa(authority);
    say(
      `${commonName} issues certificates from now on, in every process. It expires on ${notAfter.toISOString().slice(0, 10)}.`,
    );
  });
  say('The earlier generations still answer OCSP requests and publish their revocation lists.');
}
