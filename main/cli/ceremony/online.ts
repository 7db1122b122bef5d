import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withRootExchange } from '../../composition/rootExchange.ts';
import { writeNewFile } from '../../../infrastructure/ceremony/privateFiles.ts';
import { commandConfig } from '../openService.ts';
import { say } from '../say.ts';

/** Writes requests for what the root certifies, for the machine without network. */
export async function request({ to }: { readonly to: string }): Promise<void> {
  await withRootExchange(commandConfig(), async (exchange) => {
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const { name, file, keySha256 } of await exchange.requests()) {
      await writeNewFile(join(to, `${name}.csr`), file);
      say(`${name}.csr: key, SHA-256 ${keySha256}`);
    }
  });
  say('Take the files and these lines to the ceremony: ./tamga ceremony sign.');
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
  say('Processes of the service take certificates at their next start, a revocation list at once.');
}
