import { Command, Option } from 'commander';
import type { RunOptions } from './archive.ts';
import type { ExportCommandOptions } from './audit.ts';
import type { AuditReportOptions } from './auditReport.ts';
import type { AuditShowOptions } from './auditShow.ts';
import type { BackupOptions } from './backup.ts';
import type { CopyLogOptions } from './copyLog.ts';
import { addCeremonyCommands } from './ceremonyCommands.ts';
import { addDeveloperCommands } from './developerCommands.ts';
import type { DoctorOptions } from './doctor.ts';
import type { DrillCommandOptions } from './drill.ts';
import type { AcceptOptions, RestoreOptions } from './restore.ts';
import type { VerifyExportOptions } from './verifyExport.ts';
import { operatorOptions } from './settingOptions.ts';
import type { FinishOptions } from './upgrade.ts';
import { addPartyCommands } from './partyCommands.ts';
import { explainWrongUsage } from './wrongUsage.ts';

/** The commands behind `./tamga`; their modules are loaded when they run. */
export const program = new Command('tamga')
  .description('Tamga, a national electronic-identity platform.')
  // A wrong command line is 2, as with other tools; 1 is what a command found, or failed at.
  .exitOverride(({ code, exitCode }) =>
    process.exit(code.startsWith('commander.') && exitCode !== 0 ? 2 : exitCode),
  );

program
  .command('up')
  .description(
    'start everything with a demo relying party and demo citizens, run a login, signatures and a seal, and keep serving',
  )
  .option('--verbose', 'print all output, as written to .tamga/demo.log', false)
  .action(async (options: { readonly verbose: boolean }) => (await import('./up.ts')).up(options));

program
  .command('serve')
  .description('run the service, configured by environment variables (docs/configuration.md)')
  .action(async () => (await import('./serve.ts')).serve());

program
  .command('check-config')
  .description(
    'check the configuration with its files, addresses, token, database and Redis, without starting anything',
  )
  .option('--proxy [url]', 'also ask the running service through its proxy what it sees')
  .action(async ({ proxy }: { readonly proxy?: string | boolean }) => {
    const { checkConfig } = await import('./checkConfig.ts');
    process.exitCode = await checkConfig(process.env, undefined, proxy);
  });

program
  .command('doctor')
  .description(
    'check configuration, machine and installation, and show green, yellow or red with what to do; changes nothing',
  )
  .option('--ntp <server>', 'server to compare the clock with, host or host:port', 'pool.ntp.org')
  .option(
    '--backup <place>',
    'directory or s3://bucket/prefix of the backups, to check the age of the newest',
  )
  .option('--json', 'print one JSON document')
  .action(async (options: DoctorOptions) => {
    const { doctor } = await import('./doctor.ts');
    const { commandEnvironment } = await import('./commandEnvironment.ts');
    process.exitCode = await doctor(commandEnvironment(), options);
  });

program
  .command('drill')
  .option('--short', 'use faults of seconds: five minutes in all', false)
  .option('--rate <cycles>', 'logins started per second', Number, 25)
  .option(
    '--former <path>',
    'command line (tamga.js) of the former release, to drill an upgrade and the way back',
  )
  .option('--only <fault...>', 'run only these faults')
  .description('break a disposable installation under load, and show what users saw and lost')
  .action(async (options: DrillCommandOptions) => {
    process.exitCode = await (await import('./drill.ts')).drill(options);
  });

program
  .command('migrate')
  .description('migrate the database to the newest schema')
  .action(async () => (await import('./maintenance.ts')).migrateDatabase());

const upgrade = program.command('upgrade').description('manage the upgrade to this release');
upgrade
  .command('status')
  .description('show the processes, their releases, and what is waiting for the upgrade to finish')
  .action(async () => (await import('./upgrade.ts')).status());
upgrade
  .command('finish')
  .option('--yes', 'do not ask')
  .description('finish the upgrade once every process runs this release; there is no way back')
  .action(async (options: FinishOptions) => (await import('./upgrade.ts')).finish(options));

program
  .command('master-key')
  .description('manage the master key')
  .command('rotate')
  .description(
    're-wrap everything under the new master key while the service runs, and say when the previous one is no longer needed',
  )
  .action(async () => (await import('./masterKey.ts')).rotate());

program
  .command('rebuild')
  .argument('[name]', 'the read model; if omitted, lists the names')
  .description('rebuild a read model from the log while the service keeps serving')
  .action(async (name?: string) => (await import('./maintenance.ts')).rebuild(name));

program
  .command('forget')
  .argument('<civilId>', 'the person, by civil id')
  .requiredOption('--yes', 'confirm: this cannot be undone')
  .description(
    "destroy a person's key: all personal data about them becomes unreadable and their phones end",
  )
  .action(async (civilId: string) => (await import('./maintenance.ts')).forget(civilId));

const backup = program.command('backup').description('manage backups of the installation');
backup
  .command('run', { isDefault: true })
  .requiredOption(
    '--to <place>',
    'a directory or s3://bucket/prefix, empty or with earlier backups, whose parts are not written again',
  )
  .requiredOption(
    '--recipient <file...>',
    'public keys to encrypt to: lines age1…, or X25519 in PEM',
  )
  .description(
    'back up the log, the database with its keys, and files at one moment, while the service runs',
  )
  .action(async (options: BackupOptions) => (await import('./backup.ts')).backup(options));
backup
  .command('list')
  .argument('<place>', 'a directory or s3://bucket/prefix')
  .description('list the backups in this place, oldest first')
  .action(async (place: string) => (await import('./backup.ts')).listBackups(place));
backup
  .command('verify')
  .requiredOption('--from <place>', 'a directory or s3://bucket/prefix')
  .description('read every part of the backups there, and name parts that are not as written')
  .action(async ({ from }: { readonly from: string }) => {
    process.exitCode = await (await import('./backup.ts')).verify(from);
  });
backup
  .command('remove')
  .argument('<place>', 'a directory or s3://bucket/prefix')
  .argument('<id>', 'id from `backup list`')
  .description('remove a backup and the parts that no other backup uses')
  .action(async (place: string, id: string) => (await import('./backup.ts')).remove(place, id));

const restore = program.command('restore').description('restore an installation from a backup');
restore
  .command('run', { isDefault: true })
  .requiredOption('--from <place>', 'a directory or s3://bucket/prefix')
  .option('--backup <id>', 'one of the backups in this place; default: the newest')
  .requiredOption('--identity <file...>', 'private keys: lines AGE-SECRET-KEY-1…, or X25519 in PEM')
  .option(
    '--evidence <file...>',
    'evidence published after the backup: revocation lists, an exported log',
  )
  .description(
    'restore a backup into an empty database; the service starts serving and signing once it is accepted',
  )
  .action(async (options: RestoreOptions) => (await import('./restore.ts')).restore(options));
restore
  .command('evidence')
  .argument(
    '[file...]',
    'revocation lists (DER, PEM), OCSP responses (DER), a tree head (JSON), an exported log',
  )
  .description('read evidence published after the backup, and show what must be accepted')
  .action(async (files: readonly string[]) => (await import('./restore.ts')).evidence(files));
restore
  .command('accept')
  .option('--operator <email>', 'the operator who accepts it; asks for password and code')
  .option('--approver <email>', 'a second operator')
  .option('--yes', 'confirm, if fewer than two operators could accept it')
  .description('accept the restored backup: the service serves and signs again')
  .action(async (options: AcceptOptions) => (await import('./restore.ts')).accept(options));

addCeremonyCommands(program);

addPartyCommands(program);

const admin = program.command('admin').description('manage operators');
operatorOptions
  .addTo(admin.command('add'))
  .argument('<email>')
  .description('add an operator; the first password is shown once and must be changed')
  .action(async (email: string, options: object) =>
    (await import('./operators.ts')).add(email, options),
  );
admin
  .command('reset')
  .argument('<email>')
  .description('give an operator a new first password and have them connect a new authenticator')
  .action(async (email: string) => (await import('./operators.ts')).reset(email));
admin
  .command('deactivate')
  .argument('<email>')
  .description('permanently end the access of an operator')
  .action(async (email: string) => (await import('./operators.ts')).deactivate(email));
admin
  .command('list')
  .description('list operators')
  .action(async () => (await import('./operators.ts')).list());

const audit = program.command('audit').description('export and verify the whole log, for auditors');
audit
  .command('export')
  .argument('[file]', 'file for the events; proofs and public keys are written beside it')
  .option('--csv', 'write the audit trail instead, one event per line, to standard output', false)
  .option('--jsonl', 'write the events only, to standard output', false)
  .option('--type <type>', 'CSV only: filter by type, such as CERT_REVOKE')
  .option('--subject <identifier>', 'CSV only: filter by subject or person')
  .description(
    'export every event with the proof that it is in the signed log, or export the audit trail',
  )
  .action(async (file: string | undefined, { csv, jsonl, ...filter }: ExportCommandOptions) => {
    if (file !== undefined && (csv || jsonl)) {
      throw new Error('Name a file or choose --csv or --jsonl, which write to standard output.');
    } else if (file !== undefined) await (await import('./exportLog.ts')).exportCommand(file);
    else if (csv || jsonl) {
      await (await import('./audit.ts')).exportAudit(csv ? 'csv' : 'jsonl', filter);
    } else throw new Error('Name a file, or use --csv or --jsonl.');
  });
audit
  .command('replay')
  .argument('<file>', 'the exported events')
  .description('rebuild all read models from an export and compare them with the running ones')
  .action(async (file: string) => (await import('./audit.ts')).replay(file));
const offline = (command: Command) =>
  command
    .argument('<file>', 'the exported events')
    .option('--root <pem>', "the Root CA's certificate from a trusted source")
    .option(
      '--key <pem>',
      'public keys from a trusted source; with --root, default: beside the events',
    )
    .option('--proofs <file>', 'the proofs; default: beside the events')
    .option(
      '--head <file...>',
      'signed tree heads from other sources, which the export must agree with',
    );
const inLanguage = () =>
  new Option('--language <language>', 'language of the sentences')
    .choices(['en', 'mn'])
    .default('en');
offline(audit.command('verify'))
  .description('verify an export offline and name the first bad event')
  .action(async (file: string, options: VerifyExportOptions) => {
    process.exitCode = await (await import('./verifyExport.ts')).verifyCommand(file, options);
  });
offline(audit.command('report'))
  .option('--from <moment>', 'count events from this moment on, ISO 8601')
  .option('--to <moment>', 'count events before this moment, ISO 8601')
  .option('--pdf <file>', 'also write the report as a PDF to sign')
  .addOption(inLanguage())
  .description('verify an export offline and write a report: period, counts, heads, keys')
  .action(async (file: string, options: AuditReportOptions) => {
    process.exitCode = await (await import('./auditReport.ts')).reportCommand(file, options);
  });
offline(audit.command('show'))
  .argument('<id>', 'id of a session, certificate, phone…, or a civil id')
  .addOption(inLanguage())
  .description(
    'verify an export offline and describe in sentences what it says about a session or person',
  )
  .action(async (file: string, id: string, options: AuditShowOptions) => {
    process.exitCode = await (await import('./auditShow.ts')).showCommand(file, id, options);
  });

const projection = program.command('projection').description('manage parked rows of read models');
projection
  .command('list')
  .description('list rows that are parked because an event could not be projected')
  .action(async () => (await import('./leftBehind.ts')).listParked());
projection
  .command('retry')
  .argument('[readModel]', 'default: all')
  .argument('[row]', 'key of the row; default: all')
  .description('retry parked rows in order')
  .action(async (readModel?: string, row?: string) =>
    (await import('./leftBehind.ts')).retryParked(readModel, row),
  );

const reactor = program.command('reactor').description('events that reactors failed to process');
reactor
  .command('list')
  .description('list dead letters')
  .action(async () => (await import('./leftBehind.ts')).listDeadLetters());
reactor
  .command('retry')
  .argument('[reactor]', 'default: all')
  .description('retry dead letters')
  .action(async (name?: string) => (await import('./leftBehind.ts')).retryDeadLetters(name));

const archive = program
  .command('archive')
  .description('manage the archive: ended sessions outside the database');
archive
  .command('run')
  .option(
    '--before <moment>',
    'archive sessions that ended before; default: SVC_SESSION_RETENTION days ago',
  )
  .option(
    '--scavenge',
    'then let the nodes of EventStoreDB reclaim the disk space of archived events, one by one',
  )
  .description('move ended sessions to the archive; each range is written, read back and verified')
  .action(async (options: RunOptions) => (await import('./archive.ts')).run(options));
archive
  .command('list')
  .description('list the entries of the archive')
  .action(async () => (await import('./archive.ts')).list());
archive
  .command('verify')
  .argument('[name]', 'an entry; default: all')
  .description('read entries back and compare them with their signed manifests')
  .action(async (name?: string) => (await import('./archive.ts')).verify(name));
archive
  .command('restore')
  .argument('<name>', 'an entry')
  .description('restore the events of an entry into a log in PostgreSQL')
  .action(async (name: string) => (await import('./archive.ts')).restore(name));

const log = program.command('log').description('prepare or copy the event log');
log
  .command('prepare')
  .requiredOption(
    '--admin-file <path>',
    "file with the connection string of the server's administrator",
  )
  .description(
    'create the user of SVC_EVENTSTORE_URL on EventStoreDB, with the rights the service needs',
  )
  .action(async (options: { adminFile: string }) =>
    (await import('./prepareLog.ts')).prepareLog(options),
  );
log
  .command('copy')
  .requiredOption(
    '--to <url>',
    'destination: esdb://…, postgres://… or `database` for that of the service',
  )
  .option('--from <url>', "source; default: the configured service's log")
  .option('--one-by-one', 'for EventStoreDB: one append at a time', false)
  .option('--switch', 'then switch the database of the service to the copy', false)
  .option('--wait <seconds>', 'with --switch: time to wait for its processes to end', Number, 0)
  .description(
    'copy the log to another store and compare both, event by event; a second run continues the first',
  )
  .action(async (options: CopyLogOptions) => (await import('./copyLog.ts')).copyLog(options));

const certificate = program.command('certificate').description('manage certificates');
certificate
  .command('list')
  .option('--citizen <civilId>', 'of this person')
  .option('--device <documentNumber>', 'of this phone')
  .option('--services', "the platform's own")
  .description('list certificates, newest first')
  .action(async (options: object) => (await import('./certificates.ts')).list(options));
certificate
  .command('revoke')
  .argument('<serial>', 'hexadecimal')
  .requiredOption('--reason <number>', 'CRLReason of RFC 5280: 0 to 5, 9, 10; 6 suspends', Number)
  .description('revoke a certificate and deactivate its device')
  .action(async (serial: string, options: { reason: number }) =>
    (await import('./certificates.ts')).revoke(serial, options),
  );
certificate
  .command('reinstate')
  .argument('<serial>', 'hexadecimal')
  .description('release a certificate from hold')
  .action(async (serial: string) => (await import('./certificates.ts')).reinstate(serial));

program
  .command('device')
  .description('manage phones')
  .command('deactivate')
  .argument('<documentNumber>')
  .option('--reason <number>', 'CRLReason of RFC 5280; default keyCompromise', Number, 1)
  .description('deactivate a device and revoke its certificates')
  .action(async (documentNumber: string, options: { reason: number }) =>
    (await import('./certificates.ts')).deactivateDevice(documentNumber, options),
  );

addDeveloperCommands(program);

explainWrongUsage(program);
