import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { commandAccess } from '../../main/cli/commandAccess.ts';
import { formatError } from '../../main/cli/formatError.ts';
import { program } from '../../main/cli/program.ts';
import { settings } from '../../infrastructure/config/config.ts';
import { isUsedByCommands } from '../../infrastructure/config/commandSettings.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const citizen = '110000000001';
const register = 'УБ7654321';

/** Commands that have tests of their own, or are the service itself. */
const elsewhere = [
  ...['serve', 'up', 'check-config', 'doctor', 'drill', 'log prepare'],
  ...['audit verify', 'audit report', 'audit show'],
  ...['restore run', 'restore accept', 'backup remove'],
  ...['ceremony root', 'ceremony sign', 'ceremony reshare', 'ceremony request', 'ceremony install'],
  'ceremony activate',
  'master-key rotate',
];

/** Commands for developers, which need a checkout. */
const forDevelopers = [
  ...['phone', 'client pack', 'client api'],
  ...['test', 'check', 'release', 'bench', 'trace', 'docs'],
];

const namesOf = (command: Command, before = ''): readonly string[] =>
  command.commands.length === 0
    ? [before]
    : command.commands.flatMap((each) => namesOf(each, `${before} ${each.name()}`.trim()));

/** Takes back the options of the run before: commander keeps those of subcommands. */
function forgetOptions(command: Command): void {
  for (const option of command.options) {
    const unset: unknown = option.negate ? true : undefined;
    command.setOptionValue(option.attributeName(), option.defaultValue ?? unset);
  }
  command.commands.forEach(forgetOptions);
}

describe('F1: commands beside a running service', function () {
  this.timeout(900_000);
  const inherited = { ...process.env };
  const { listen } = Server.prototype;
  let demo: DemoInstallation;
  let directory: string;
  let documentNumber: string;
  let listens = 0;

  before(async () => {
    demo = await startDemoInstallation();
    ({ documentNumber } = await demo.enrol(citizen));
    directory = await mkdtemp(join(tmpdir(), 'tamga-commands-'));
    const servers = Object.keys(settings).filter((name) => !isUsedByCommands(name));
    expect(servers).to.include.members(['SVC_PORT', 'SVC_MANAGEMENT_PORT', 'SVC_TLS_CERT']);
    Object.assign(process.env, commonSettings(), {
      SVC_DATABASE_URL: demo.databaseUrl,
      SVC_DATA_DIR: demo.directory,
      // Keys that no command may ask for without need.
      SVC_PKCS11_MODULE: '/nonexistent/module.so',
      SVC_PKCS11_TOKEN: 'none',
      SVC_PKCS11_PIN: '1234',
      // Settings that no server would start with.
      ...Object.fromEntries(servers.map((name) => [name, 'wrong'])),
    });
    Server.prototype.listen = function counted(this: Server) {
      listens += 1;
      throw new Error('A command listens.');
    };
  });

  after(async () => {
    Server.prototype.listen = listen;
    for (const name of Object.keys(process.env)) {
      if (!(name in inherited)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, inherited);
    await demo.stop();
    await rm(directory, { recursive: true });
  });

  /** Output of the command; rejects with its error. */
  async function output(...parameters: readonly string[]): Promise<string> {
    const { write } = process.stdout;
    const { exitCode } = process;
    let text = '';
    process.stdout.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      text += Buffer.from(chunk).toString();
      const done = rest.at(-1);
      if (typeof done === 'function') (done as () => void)();
      return true;
    };
    program.commands.forEach(forgetOptions);
    try {
      await program.parseAsync(parameters, { from: 'user' });
    } finally {
      process.stdout.write = write;
      process.exitCode = exitCode;
    }
    return text;
  }

  it('are in the table, all of them', () => {
    const all = namesOf(program).filter((name) => !forDevelopers.includes(name));
    expect(all).to.have.members(Object.keys(commandAccess));
  });

  it('do their work, log in to no token, need no setting of a server and open no port', async () => {
    const [party = ''] = (await output('rp', 'list')).split(/\s/u);
    const client = ['oidc', 'add', party, 'Client', '--redirect-uri', 'https://rp.example/cb'];
    const [, clientId = ''] = /client_id\s+(\S+)/u.exec(await output(...client)) ?? [];
    const [serial = ''] = (await output('certificate', 'list', '--citizen', citizen)).split(/\s/u);
    const events = join(directory, 'events.jsonl');
    await writeFile(events, await output('audit', 'export', '--jsonl'));
    const recipient = join(directory, 'recipient');
    await writeFile(recipient, 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj');
    const org = (...parameters: readonly string[]) => ['org', ...parameters];
    const commands: readonly (readonly string[])[] = [
      ['migrate'],
      ['upgrade', 'status'],
      ['upgrade', 'finish'],
      ['backup', 'run', '--to', join(directory, 'backup'), '--recipient', recipient],
      ['backup', 'list', join(directory, 'backup')],
      ['backup', 'verify', '--from', join(directory, 'backup')],
      ['restore', 'evidence'],
      ['rebuild', 'consents'],
      ['rp', 'register', 'Another party'],
      ['rp', 'rotate', party],
      org('register', register, 'Тест ХХК'),
      org('verify', register),
      org('activate', register),
      org('suspend', register),
      org('restore', register),
      org('grant', register, citizen, '--right', 'MANAGER'),
      org('withdraw', register, citizen),
      org('list'),
      org('audit'),
      ['rp', 'allow-sealing', party, register],
      ['rp', 'withdraw-sealing', party, register],
      ['rp', 'set-names', party, 'An alias'],
      ['oidc', 'list'],
      ['oidc', 'rotate', clientId],
      ['oidc', 'deactivate', clientId],
      ['oidc', 'reactivate', clientId],
      ['oidc', 'withdraw', citizen, clientId],
      ['admin', 'add', 'auditor@tamga.example', '--role', 'AUDITOR'],
      ['admin', 'reset', 'auditor@tamga.example'],
      ['admin', 'deactivate', 'auditor@tamga.example'],
      ['admin', 'list'],
      ['audit', 'replay', events],
      ['projection', 'list'],
      ['projection', 'retry'],
      ['reactor', 'list'],
      ['archive', 'list'],
      ['log', 'copy', '--to', await freshDatabase()],
      ['certificate', 'revoke', serial, '--reason', '6'],
      ['certificate', 'reinstate', serial],
      ['device', 'deactivate', documentNumber],
      org('revoke', register),
      ['registry', 'import', 'organizations', 'docs/samples/organizations.csv'],
      ['rp', 'deactivate', party],
      ['forget', citizen, '--yes'],
    ];
    for (const parameters of commands) {
      const failure = await output(...parameters).then(() => null, formatError);
      expect(failure, parameters.join(' ')).to.equal(null);
    }
    expect(listens).to.equal(0);

    const keyed = Object.keys(commandAccess).filter((name) =>
      commandAccess[name]?.includes('keys'),
    );
    const needing: readonly (readonly string[])[] = [
      ['oidc', 'rotate-keys'],
      org('seal-certificate', register),
      ['audit', 'export', join(directory, 'export.jsonl')],
      ['reactor', 'retry'],
      ['archive', 'run', '--before', '2026-01-01'],
      ['archive', 'verify'],
      ['archive', 'restore', 'none'],
    ];
    for (const parameters of needing) {
      const failure = await output(...parameters).then(() => null, formatError);
      expect(failure, parameters.join(' ')).to.include('SVC_PKCS11_MODULE');
    }
    const run = [...commands, ...needing, ['rp', 'list'], ['oidc', 'add'], ['certificate', 'list']];
    const tried = new Set(run.map((parameters) => nameOf(parameters)));
    expect([...tried, ...elsewhere]).to.have.members(Object.keys(commandAccess));
    expect(needing.map(nameOf)).to.have.members(keyed.filter((name) => !elsewhere.includes(name)));
    expect(listens).to.equal(0);
  });
});

/** The command among its parameters. */
function nameOf([first = '', second = '']: readonly string[]): string {
  return first in commandAccess ? first : `${first} ${second}`;
}
