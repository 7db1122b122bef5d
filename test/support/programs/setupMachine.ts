import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tamgaProgram } from './tamgaProgram.ts';

/** A program of the machine that a page's commands call, played by a script. */
type StandIn = readonly [name: string, script: string];

/** Executes SQL as the database's administrator would. */
const administrator = (statement: string) => `#!${process.execPath}
import pg from ${JSON.stringify(import.meta.resolve('pg'))};
const client = new pg.Client({ connectionString: process.env.ADMINISTRATOR });
const { argv } = process;
await client.connect();
await client.query(${statement});
await client.end();
`;

/** Sources the files of settings that come first, as systemd reads them, and goes on with the rest. */
const withSettings = `
set -a
for file in $FILES; do . "$file"; done
set +a
`;

/** The programs that a machine has and a test must not touch: users, packages, services. */
const standIns = (unit: string): readonly StandIn[] => [
  ...['apt-get', 'useradd', 'chgrp'].map((name): StandIn => [name, '#!/bin/sh\nexit 0\n']),
  ['git', '#!/bin/sh\n[ "$1" = clone ] && [ -d "$3" ]\n'],
  ['su', '#!/bin/sh\n[ "$1" = postgres ] && exec sh -eu -c "$3"\n'],
  ['psql.mjs', administrator('argv[3]')],
  [
    'createdb.mjs',
    administrator(
      '`create database ${argv.at(-1)} owner ${argv[3]} encoding ${argv[5]} template ${argv[9]}`',
    ),
  ],
  ...['psql', 'createdb'].map((name): StandIn => [
    name,
    `#!/bin/sh\nexec '${process.execPath}' "$0.mjs" "$@"\n`,
  ]),
  ['install', '#!/bin/sh\nwhile [ "$1" != -m ]; do shift; done\nshift 2\nmkdir -p "$@"\n'],
  [
    'systemd-run',
    `#!/bin/sh -eu
FILES=
while case "$1" in --*) true ;; *) false ;; esac; do
  case "$1" in
    --property=EnvironmentFile=*) FILES="$FILES \${1#--property=EnvironmentFile=}" ;;
    --working-directory=*) cd "\${1#--working-directory=}" ;;
  esac
  shift
done
${withSettings}
exec "$@"
`,
  ],
  [
    'systemctl',
    `#!/bin/sh -eu
[ "$1" = enable ] || exit 0
NAME=\${3#tamga@}
UNIT=$(sed "s/%i/$NAME/g" '${unit}')
FILES=$(echo "$UNIT" | sed -n 's/^EnvironmentFile=-\\{0,1\\}//p')
export $(echo "$UNIT" | sed -n 's/^Environment=//p')
${withSettings}
cd "$(echo "$UNIT" | sed -n 's/^WorkingDirectory=//p')"
$(echo "$UNIT" | sed -n 's/^ExecStart=//p') > "$LOG" 2>&1 &
echo $! > "$LOG.pid"
`,
  ],
];

/** Writes the stand-ins, and a launcher of this build, below the directory. @returns the folder for the PATH */
export async function setupMachine(directory: string): Promise<string> {
  const programs = join(directory, 'bin');
  const unit = join(directory, 'etc/systemd/system/tamga@.service');
  const launcher = join(directory, 'opt/tamga/tamga');
  for (const folder of [programs, dirname(unit), dirname(launcher)]) {
    await mkdir(folder, { recursive: true });
  }
  const scripts = standIns(unit).map(([name, text]) => [join(programs, name), text] as const);
  const launch = `#!/bin/sh\nexec '${process.execPath}' '${tamgaProgram()}' "$@"\n`;
  for (const [path, text] of [...scripts, [launcher, launch] as const]) {
    await writeFile(path, text);
    await chmod(path, 0o755);
  }
  return programs;
}
