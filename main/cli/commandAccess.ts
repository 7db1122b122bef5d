/** Things that a command may open. No command opens a port but `serve`, `up` and `drill`. */
const openable = {
  database: 'PostgreSQL (`SVC_DATABASE_URL`), and Redis where one is set',
  log: 'the event log, for reading and appending',
  keys: 'the key vault: logs in to the token',
  files: 'files beside the environment: those it names, the archive, files of documents',
  network: 'addresses of others: EventStoreDB as administrator, a phone, pushes',
  port: 'ports of its own',
} as const;

export type Openable = keyof typeof openable;

const read: readonly Openable[] = ['database', 'log'];
const withFiles: readonly Openable[] = [...read, 'files'];
const withKeys: readonly Openable[] = [...read, 'keys'];

/** Access of each command to what can be opened; the commands for developers are in `developerCommands.ts`. */
export const commandAccess: Readonly<Record<string, readonly Openable[]>> = {
  serve: ['database', 'log', 'keys', 'files', 'network', 'port'],
  up: ['database', 'log', 'keys', 'files', 'network', 'port'],
  'check-config': ['database', 'log', 'keys', 'files', 'network', 'port'],
  doctor: ['database', 'log', 'keys', 'files', 'network', 'port'],
  drill: ['files', 'port'],
  migrate: read,
  'upgrade status': ['database'],
  'upgrade finish': read,
  'master-key rotate': ['database'],
  rebuild: withFiles,
  forget: withFiles,
  'backup run': withFiles,
  'backup list': ['database', 'files'],
  'backup verify': ['database', 'files'],
  'backup remove': ['database', 'files'],
  'restore run': withFiles,
  'restore evidence': withFiles,
  'restore accept': read,
  'ceremony root': ['files', 'keys'],
  'ceremony sign': ['files', 'keys'],
  'ceremony reshare': ['files', 'keys'],
  'ceremony request': ['database', 'files', 'keys'],
  'ceremony install': ['database', 'files', 'keys'],
  'ceremony activate': read,
  'rp register': read,
  'rp rotate': read,
  'rp deactivate': read,
  'rp allow-sealing': read,
  'rp withdraw-sealing': read,
  'rp set-names': read,
  'rp list': read,
  'oidc add': withFiles,
  'oidc list': read,
  'oidc rotate': read,
  'oidc deactivate': read,
  'oidc reactivate': read,
  'oidc withdraw': read,
  'oidc rotate-keys': withKeys,
  'org register': read,
  'org verify': read,
  'org activate': read,
  'org suspend': read,
  'org restore': read,
  'org revoke': read,
  'org seal-certificate': withKeys,
  'org grant': read,
  'org withdraw': read,
  'org list': read,
  'org audit': withFiles,
  'registry import': withFiles,
  'admin add': read,
  'admin reset': read,
  'admin deactivate': read,
  'admin list': read,
  'audit export': [...withFiles, 'keys'],
  'audit replay': withFiles,
  'audit verify': ['files'],
  'audit report': ['files'],
  'audit show': ['files'],
  'projection list': read,
  'projection retry': read,
  'reactor list': read,
  'reactor retry': [...withFiles, 'keys', 'network'],
  'archive run': [...withFiles, 'keys'],
  'archive list': read,
  'archive verify': [...withFiles, 'keys'],
  'archive restore': [...withFiles, 'keys'],
  'log prepare': ['files', 'network'],
  'log copy': withFiles,
  'certificate list': read,
  'certificate revoke': read,
  'certificate reinstate': read,
  'device deactivate': read,
};

/** Text of docs/commands.md. */
export function commandsPage(): string {
  const names = Object.keys(openable) as readonly Openable[];
  const cells = (access: readonly Openable[]) =>
    names.map((name) => (access.includes(name) ? 'yes' : '')).join(' | ');
  return [
    '# Commands',
    '',
    'What each command of `./tamga` may open (ADR 52). Generated from `main/cli/commandAccess.ts` by `./tamga docs`. A command on',
    'the machine runs beside the service, with its environment: it opens no port, ignores the settings of servers, right or',
    'wrong, and logs in to the token only where the table says so, so that it works while the token does not. The only port',
    'of `check-config` and `doctor` is a free one, closed at once.',
    '',
    ...names.map((name) => `- **${name}**: ${openable[name]}`),
    '',
    `| Command | ${names.join(' | ')} |`,
    `| --- | ${names.map(() => '---').join(' | ')} |`,
    ...Object.entries(commandAccess).map(
      ([command, access]) => `| \`${command}\` | ${cells(access)} |`,
    ),
    '',
    'Exit codes: 0; 1 for a fault that may pass or a refused command; 78 (`EX_CONFIG`) for one that only another',
    'configuration mends (docs/operations.md, Starting).',
    '',
  ].join('\n');
}
