import { createPool } from '../../../infrastructure/postgres/pool.ts';
import { commonSettings, type Settings } from '../installation/serviceProcess.ts';
import { tamgaProgram } from './tamgaProgram.ts';
import { run } from './tools.ts';

/** Words of a shell for `./tamga …` on an installation, with these settings and no others. */
export function tamgaCommand(settings: Settings, words: readonly string[]): readonly string[] {
  const { PATH = '' } = process.env;
  const env = { PATH, ...commonSettings(), ...settings };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['env', '-i', ...variables, process.execPath, tamgaProgram(), ...words];
}

/** `./tamga …` as whoever runs the service types it. */
export function runTamga(settings: Settings, ...words: string[]) {
  const [program = '', ...parameters] = tamgaCommand(settings, words);
  return run(program, ...parameters);
}

/** Asks the database of an installation. */
export async function queryOf<Row extends object>(settings: Settings, sql: string) {
  const pool = createPool({ url: settings['SVC_DATABASE_URL'] ?? '', max: 1 });
  try {
    return (await pool.query<Row>(sql)).rows;
  } finally {
    await pool.end();
  }
}
