import { join } from 'node:path';
import { originOf, reachedAt } from '../../domain/shared/hosts.ts';
import { runInteractivePhone } from '../../apps/phone/interactive.ts';
import { commandConfig } from './openService.ts';

/**
 * Runs a phone in the terminal, against the service of `./tamga up` unless `--url` names another.
 */
export async function phone(options: { readonly url?: string }): Promise<void> {
  const { SVC_HOST, SVC_PORT, SVC_DATA_DIR } = commandConfig();
  await runInteractivePhone({
    baseUrl: options.url ?? originOf('http', reachedAt(SVC_HOST), SVC_PORT),
    directory: join(SVC_DATA_DIR, 'my-phones'),
    input: process.stdin,
    output: process.stdout,
  });
}
