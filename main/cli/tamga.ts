import { exitCodeOf, formatError } from './formatError.ts';
import { program } from './program.ts';
import { endWithReader, settleSurroundings } from './surroundings.ts';

settleSurroundings();
endWithReader();

/** Time for a failed command to close its resources, ms. */
const CLOSE_MS = 3000;

try {
  if (process.argv.length === 2) program.help();
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`tamga: ${formatError(error)}\n`);
  process.exitCode = exitCodeOf(error);
  // Resources that cannot be closed do not keep the process.
  setTimeout(() => process.exit(), CLOSE_MS).unref();
}
