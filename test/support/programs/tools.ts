import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface Ran {
  readonly code: number;
  /** Standard output and error together. */
  readonly output: string;
}

/** Runs a program to its end, whatever that is; five minutes at most. */
export async function run(program: string, ...parameters: readonly string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await execute(program, parameters, {
      maxBuffer: 64 * 1024 * 1024,
      timeout: 300_000,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
    } = error as {
      readonly code?: unknown;
      readonly stdout?: string;
      readonly stderr?: string;
    };
    return { code: typeof code === 'number' ? code : 1, output: stdout + stderr };
  }
}
