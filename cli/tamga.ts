import { Command } from 'commander';
import type { ExportCommandOptions } from './audit.ts';
import type { BenchCommandOptions } from '../bench/cli.ts';
import type { VerifyExportOptions } from './verifyExport.ts';
import { toldError } from './toldError.ts';

// The commands, one line each; what they do is loaded only when they run.

const program = new Command('tamga')
  .description('Tamga, a national electronic-identity platform.')
  .showHelpAfterError()
  .action(() => program.help());

program
  .command('up')
  .description(
    'start everything with a demo relying party and citizens, show one login and one signature',
  )
  .action(async () => (await import('./up.ts')).up());

program
  .command('serve')
  .description('run the service, configured by the environment (docs/configuration.md)')
  .action(async () => (await import('./serve.ts')).serve());

program
  .command('migrate')
  .description('bring the database to the newest schema')
  .action(async () => (await import('./maintenance.ts')).migrateDatabase());

program
  .command('rebuild')
  .argument('[name]', 'the read model; without it the names are listed')
  .description('rebuild a read model from the log while the service keeps serving')
  .action(async (name?: string) => (await import('./maintenance.ts')).rebuild(name));

program
  .command('forget')
  .argument('<civilId>', 'the person, by civil id')
  .requiredOption('--yes', 'confirm: this cannot be undone')
  .description(
    "destroy a person's key: everything personal kept about them becomes unreadable, their phones end",
  )
  .action(async (civilId: string) => (await import('./maintenance.ts')).forget(civilId));

const rp = program.command('rp').description('relying parties');
rp.command('register')
  .argument('<name>', 'shown to citizens; at most 32 bytes of UTF-8')
  .option('--callback-host <host...>', 'hosts an App2App return URL may have', [])
  .option('--permission <name...>', 'AUTH, SIGN, SEAL, ORG_LINK_WRITE, PKI_READ', ['AUTH', 'SIGN'])
  .option('--first-party', 'unrestricted: one of our own services', false)
  .option('--allow-ip <address...>', 'addresses or CIDR blocks calls may come from', [])
  .option('--client-certificate <sha256...>', 'fingerprints of client certificates accepted', [])
  .option('--requests-per-minute <count>', 'session-creating requests a minute', Number)
  .option('--smart-id-statuses', 'answer with 471, 472, 480 and 580 as Smart-ID does', false)
  .description('register a relying party; its API secret is shown once')
  .action(async (name: string, options: object) =>
    (await import('./relyingParties.ts')).register(name, options),
  );
rp.command('rotate')
  .argument('<uuid>')
  .description('give a relying party a new API secret, shown once')
  .action(async (id: string) => (await import('./relyingParties.ts')).rotate(id));
rp.command('deactivate')
  .argument('<uuid>')
  .description('refuse all further calls of a relying party')
  .action(async (id: string) => (await import('./relyingParties.ts')).deactivate(id));
rp.command('list')
  .description('list relying parties')
  .action(async () => (await import('./relyingParties.ts')).list());

const oidc = program.command('oidc').description('clients and keys of the OpenID Connect provider');
oidc
  .command('add')
  .description('register a client of a relying party; shows its secret once')
  .argument('<relyingPartyUUID>')
  .argument('<name>', 'shown to citizens')
  .requiredOption(
    '--redirect-uri <uri...>',
    'exact addresses: https, in development also http on this machine',
  )
  .option('--name-en <name>', 'shown to citizens who read English')
  .option('--post-logout-redirect-uri <uri...>', 'where a logout may lead', [])
  .option('--backchannel-logout-uri <uri>', 'told of logouts')
  .option(
    '--auth-method <method>',
    'client_secret_basic, client_secret_post, private_key_jwt or none',
    'client_secret_basic',
  )
  .option('--jwks <file>', 'its public keys, a JSON Web Key Set; for private_key_jwt')
  .option('--scope <scope...>', 'what it may ask for', ['openid', 'profile', 'email'])
  .option('--sector <name>', 'clients of one sector know a citizen by the same sub')
  .option('--client-uri <uri>', 'its home page')
  .option('--organization <register>', 'the organization it belongs to')
  .action(async (party: string, name: string, options: object) =>
    (await import('./oidcClients.ts')).add(party, name, options),
  );
oidc
  .command('list')
  .description('list clients')
  .action(async () => (await import('./oidcClients.ts')).list());
oidc
  .command('rotate')
  .description('a new secret; the old one ends at once')
  .argument('<clientId>')
  .action(async (id: string) => (await import('./oidcClients.ts')).rotate(id));
oidc
  .command('deactivate')
  .description('refuse a client and end its tokens')
  .argument('<clientId>')
  .action(async (id: string) => (await import('./oidcClients.ts')).deactivate(id));
oidc
  .command('reactivate')
  .description('let a deactivated client in again')
  .argument('<clientId>')
  .action(async (id: string) => (await import('./oidcClients.ts')).reactivate(id));
oidc
  .command('withdraw')
  .description("withdraw a citizen's consent to a client, at the citizen's wish")
  .argument('<civilId>')
  .argument('<clientId>')
  .action(async (civilId: string, clientId: string) =>
    (await import('./oidcClients.ts')).withdraw(civilId, clientId),
  );
oidc
  .command('rotate-keys')
  .description('publish the next signing key; it signs after SVC_OIDC_KEY_LEAD_HOURS')
  .option('--now', 'it signs at once')
  .action(async (options: object) => (await import('./oidcClients.ts')).rotateKeys(options));

const org = program.command('org').description('organizations and rights to represent them');
org
  .command('register')
  .argument('<register>', 'national registration number')
  .argument('<name>')
  .option('--name-latin <name>', 'Latin name, for certificates')
  .option('--activate', 'ACTIVE at once instead of PENDING', false)
  .description('register an organization')
  .action(async (register: string, name: string, options: object) =>
    (await import('./organizations.ts')).register(register, name, options),
  );
for (const [change, text] of [
  ['verify', 'PENDING becomes VERIFIED'],
  ['activate', 'VERIFIED becomes ACTIVE'],
  ['suspend', 'seals and rights to represent it rest'],
  ['restore', 'a suspended organization is again what it was'],
  ['revoke', 'end an organization for good'],
] as const) {
  org
    .command(change)
    .argument('<register>')
    .description(text)
    .action(async (register: string) =>
      (await import('./organizations.ts')).changeStatus(register, change),
    );
}
org
  .command('grant')
  .argument('<register>')
  .argument('<person>', 'civil id or registration number')
  .requiredOption('--right <type>', 'ADMIN or MANAGER')
  .option('--role <title>', 'title')
  .option('--evidence <reference>', 'the document that attests it')
  .option('--valid-from <time>', 'ISO 8601; default now')
  .option('--valid-to <time>', 'ISO 8601; default without end')
  .description('give a person the right to represent an organization')
  .action(async (register: string, person: string, options: object) =>
    (await import('./organizations.ts')).grant(register, person, options),
  );
org
  .command('withdraw')
  .argument('<register>')
  .argument('<civilId>')
  .description('withdraw a right')
  .action(async (register: string, civilId: string) =>
    (await import('./organizations.ts')).withdraw(register, civilId),
  );
org
  .command('list')
  .description('list organizations')
  .action(async () => (await import('./organizations.ts')).list());
org
  .command('audit')
  .option('--subject <etsi>', 'about this organization or person')
  .option('--limit <count>', 'at most so many', Number, 100)
  .description('what was done to organizations and on their behalf, the newest first')
  .action(async (options: { subject?: string; limit: number }) =>
    (await import('./organizations.ts')).audit(options),
  );

const admin = program.command('admin').description('operators');
admin
  .command('add')
  .argument('<email>')
  .option(
    '--role <role>',
    'SUPER_ADMIN, RP_OPERATOR, SUPPORT, AUDITOR or SECURITY_OFFICER',
    'SUPER_ADMIN',
  )
  .description('add an operator; the first password is shown once and must be changed')
  .action(async (email: string, options: { role: string }) =>
    (await import('./operators.ts')).add(email, options),
  );
admin
  .command('reset')
  .argument('<email>')
  .description('give an operator a new first password and let them enrol an authenticator anew')
  .action(async (email: string) => (await import('./operators.ts')).reset(email));
admin
  .command('list')
  .description('list operators')
  .action(async () => (await import('./operators.ts')).list());

const audit = program.command('audit').description('the whole log, for auditors');
audit
  .command('export')
  .argument('[file]', 'the events; proofs and public keys are written beside it')
  .option('--csv', 'instead the audit, a line an event, to standard output', false)
  .option('--jsonl', 'instead the events alone, to standard output', false)
  .option('--type <type>', 'of the CSV: only this type, such as CERT_REVOKE')
  .option('--subject <identifier>', 'of the CSV: only about this subject or person')
  .description('write every event with the proof that it is in the signed log, or the audit')
  .action(async (file: string | undefined, { csv, jsonl, ...filter }: ExportCommandOptions) => {
    if (file !== undefined) await (await import('./exportLog.ts')).exportCommand(file);
    else if (csv || jsonl) {
      await (await import('./audit.ts')).exportAudit(csv ? 'csv' : 'jsonl', filter);
    } else throw new Error('Name a file, or choose --csv or --jsonl.');
  });
audit
  .command('replay')
  .argument('<file>', 'the exported events')
  .description('rebuild all read models from an export, and say whether they are the running ones')
  .action(async (file: string) => (await import('./audit.ts')).replay(file));
audit
  .command('verify')
  .argument('<file>', 'the exported events')
  .requiredOption('--key <pem>', 'public keys, got from where they are trusted')
  .option('--proofs <file>', 'the proofs; default: beside the events')
  .option('--head <file...>', 'signed heads got elsewhere, which the export has to agree with')
  .description('verify an export offline and name the first bad event')
  .action(async (file: string, options: VerifyExportOptions) => {
    process.exitCode = await (await import('./verifyExport.ts')).verifyCommand(file, options);
  });

const certificate = program.command('certificate').description('certificates');
certificate
  .command('list')
  .option('--citizen <civilId>', 'of this person')
  .option('--device <documentNumber>', 'of this phone')
  .option('--services', "the platform's own")
  .description('list certificates, the newest first')
  .action(async (options: object) => (await import('./certificates.ts')).list(options));
certificate
  .command('revoke')
  .argument('<serial>', 'hexadecimal')
  .requiredOption('--reason <number>', 'CRLReason of RFC 5280: 0 to 5, 9, 10; 6 suspends', Number)
  .description('revoke a certificate and end the phone it is on')
  .action(async (serial: string, options: { reason: number }) =>
    (await import('./certificates.ts')).revoke(serial, options),
  );
certificate
  .command('reinstate')
  .argument('<serial>', 'hexadecimal')
  .description('end a suspension')
  .action(async (serial: string) => (await import('./certificates.ts')).reinstate(serial));

program
  .command('device')
  .description('phones')
  .command('deactivate')
  .argument('<documentNumber>')
  .option('--reason <number>', 'CRLReason of RFC 5280; default keyCompromise', Number, 1)
  .description('end a phone and revoke its certificates')
  .action(async (documentNumber: string, options: { reason: number }) =>
    (await import('./certificates.ts')).deactivateDevice(documentNumber, options),
  );

program
  .command('phone')
  .option('--url <origin>', 'the service; without it the one of `./tamga up`')
  .description('an interactive simulated phone: enrol, receive requests, confirm with a PIN')
  .action(async (options: { url?: string }) => (await import('./phone.ts')).phone(options));

const client = program.command('client').description("the relying parties' library");
client
  .command('pack')
  .description('build the library as a package, ready to publish')
  .action(async () => {
    const tarball = await (await import('./clientPackage.ts')).packClient();
    process.stdout.write(`${tarball}\n`);
  });
client
  .command('api')
  .description('write the reports of what the library exports (client/*.api.md) anew')
  .action(async () => {
    await (await import('./clientPackage.ts')).clientApi('write');
  });

program
  .command('test')
  .argument('[files...]', 'test files; without them all')
  .option('-g, --grep <text>', 'only tests whose name contains this')
  .description('install what the tests need and run them')
  .action(async (files: string[], options: { grep?: string }) => {
    process.exitCode = await (await import('./test.ts')).test(files, options);
  });

program
  .command('check')
  .description('format, lint, import rules and the API against the last release')
  .action(async () => {
    process.exitCode = await (await import('./test.ts')).check();
  });

program
  .command('bench')
  .argument('[scenarios...]', 'P1, P2, …; without them all')
  .option('--json <file>', 'where the figures go', '.tamga/bench.json')
  .option('--rounds <count>', 'interleaved runs of each contestant', Number, 5)
  .option('--wakes <count>', 'wakes among which P3 counts those slept through', Number)
  .option('--quick', 'tiny sizes, only to see that everything works', false)
  .description('measure beside the peers and compare with the targets')
  .action(async (scenarios: string[], options: BenchCommandOptions) => {
    process.exitCode = await (await import('../bench/cli.ts')).bench(scenarios, options);
  });

program
  .command('docs')
  .description('regenerate the generated pages of docs/')
  .action(async () => (await import('./documentation.ts')).writeDocumentation());

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`tamga: ${toldError(error)}\n`);
  process.exitCode = 1;
}
