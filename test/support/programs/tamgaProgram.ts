import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Directory that everything is built into. */
export const built = fileURLToPath(new URL('../../..', import.meta.url));

/** Directory of this run's bundle of the program, in the environment of all its processes. */
export const BUNDLED = 'TAMGA_TEST_PROGRAM';

/** Path of the command line that tests start processes of: bundled where this run did so, else as it is built. */
export function tamgaProgram(): string {
  return join(process.env[BUNDLED] ?? built, 'main/cli/tamga.js');
}

/** Directory of code compiled before, shared by all of them: each loads the same modules. */
export function compileCache(): string {
  return join(process.env[BUNDLED] ?? join(built, 'test-artefacts'), 'compile-cache');
}
