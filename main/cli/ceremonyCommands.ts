import type { Command } from 'commander';
import type { RequestOptions } from './ceremony/online.ts';
import type { RootOptions } from './ceremony/root.ts';
import type { SignOptions } from './ceremony/sign.ts';

/** Adds the commands of the Root CA: the offline ones, and what carries files to them and back. */
export function addCeremonyCommands(program: Command): void {
  const ceremony = program
    .command('ceremony')
    .description('hold key ceremonies: the offline Root CA, and the files to it and back');
  ceremony
    .command('root', { isDefault: true })
    .requiredOption('--dir <directory>', 'new directory for the root')
    .option('--answers <file>', 'lines `question: answer`; default: asks at the terminal')
    .description(
      'offline: create the root or take one over, share its secret among custodians, and record it',
    )
    .action(async (options: RootOptions) => (await import('./ceremony/root.ts')).makeRoot(options));
  ceremony
    .command('sign')
    .argument('[requests...]', 'requests; if omitted, makes only the revocation list')
    .requiredOption('--dir <directory>', 'directory of the root')
    .requiredOption('--to <directory>', 'new directory for the files that go back online')
    .option('--revoke <file...>', 'certificates of the root to revoke, PEM')
    .option('--reason <number>', 'with --revoke: CRLReason of RFC 5280', Number, 0)
    .option('--days <number>', 'validity of the revocation list', Number, 180)
    .option('--answers <file>', 'lines `question: answer`; default: asks at the terminal')
    .description("offline: sign requests and the root's next revocation list, and record it")
    .action(async (requests: readonly string[], options: SignOptions) =>
      (await import('./ceremony/sign.ts')).sign(requests, options),
    );
  ceremony
    .command('reshare')
    .requiredOption('--dir <directory>', 'directory of the root')
    .option('--answers <file>', 'lines `question: answer`; default: asks at the terminal')
    .description("offline: share the root's secret among other custodians, and record it")
    .action(async (options: RootOptions) =>
      (await import('./ceremony/reshare.ts')).reshare(options),
    );
  ceremony
    .command('request')
    .requiredOption('--to <directory>', 'directory for the requests')
    .option('--next <kind>', 'only for the next generation of the personal or organization CA')
    .description('online: write requests for the keys that the root certifies')
    .action(async (options: RequestOptions) =>
      (await import('./ceremony/online.ts')).request(options),
    );
  ceremony
    .command('install')
    .argument('<files...>', 'certificates (PEM) and revocation lists of the root')
    .option(
      '--root-sha256 <hex>',
      "hash of the root's certificate from the record; needed the first time",
    )
    .description('online: verify and install what the root signed')
    .action(async (files: readonly string[], options: { readonly rootSha256?: string }) =>
      (await import('./ceremony/online.ts')).install(files, options),
    );
  ceremony
    .command('activate')
    .argument('<authority>', 'personal-2, for example')
    .description('online: let a generation of an issuing CA issue certificates from now on')
    .action(async (authority: string) =>
      (await import('./ceremony/online.ts')).activate(authority),
    );
}
