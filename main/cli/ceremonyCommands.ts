import type { Command } from 'commander';
import type { RequestOptions } from './ceremony/online.ts';
import type { RootOptions } from './ceremony/root.ts';
import type { SignOptions } from './ceremony/sign.ts';

/** Adds the commands of the Root CA: the offline ones, and what carries files to them and back. */
export function addCeremonyCommands(program: Command): void {
  const ceremony = program
    .command('ceremony')
    .description('the Root CA on a machine without network, and the files to it and back');
  ceremony
    .command('root', { isDefault: true })
    .requiredOption('--dir <directory>', 'where the root is kept; new')
    .option('--answers <file>', 'lines `question: answer`; default: asks at the terminal')
    .description(
      'offline: make the root or take one over, share what opens it among custodians, record it',
    )
    .action(async (options: RootOptions) => (await import('./ceremony/root.ts')).makeRoot(options));
  ceremony
    .command('sign')
    .argument('[requests...]', 'requests; without any only the revocation list is made')
    .requiredOption('--dir <directory>', 'where the root is kept')
    .requiredOption('--to <directory>', 'for what goes back to the online side; new')
    .option('--revoke <file...>', 'certificates of the root to revoke, PEM')
    .option('--reason <number>', 'with --revoke: CRLReason of RFC 5280', Number, 0)
    .option('--days <number>', 'validity of the revocation list', Number, 180)
    .option('--answers <file>', 'lines `question: answer`; default: asks at the terminal')
    .description("offline: sign requests and the root's next revocation list, record it")
    .action(async (requests: readonly string[], options: SignOptions) =>
      (await import('./ceremony/sign.ts')).sign(requests, options),
    );
  ceremony
    .command('reshare')
    .requiredOption('--dir <directory>', 'where the root is kept')
    .option('--answers <file>', 'lines `question: answer`; default: asks at the terminal')
    .description('offline: share what opens the root among other custodians, record it')
    .action(async (options: RootOptions) =>
      (await import('./ceremony/reshare.ts')).reshare(options),
    );
  ceremony
    .command('request')
    .requiredOption('--to <directory>', 'for the requests')
    .option('--next <kind>', 'of the next generation of the personal or organization CA alone')
    .description('online: write requests for the keys that the root certifies')
    .action(async (options: RequestOptions) =>
      (await import('./ceremony/online.ts')).request(options),
    );
  ceremony
    .command('install')
    .argument('<files...>', 'certificates (PEM) and revocation lists of the root')
    .option('--root-sha256 <hex>', "the root's certificate by the record; for the first time")
    .description('online: install what the root signed, each verified')
    .action(async (files: readonly string[], options: { readonly rootSha256?: string }) =>
      (await import('./ceremony/online.ts')).install(files, options),
    );
  ceremony
    .command('activate')
    .argument('<authority>', 'personal-2, for example')
    .description('online: let a generation of an issuing CA issue from now on')
    .action(async (authority: string) =>
      (await import('./ceremony/online.ts')).activate(authority),
    );
}
