import { parseArgs } from 'node:util';
import { formatError } from './formatError.ts';
import { verifyCommand } from './verifyExport.ts';

// Entry of `tamga-verify.mjs`: `./tamga audit verify` in one file, for auditors who have Node.js and no checkout.

const USAGE = `Verifies an exported log offline.

  node tamga-verify.mjs <log.jsonl> --root <certificate> [--head <file>…]

  --root <file>    certificate of the Root CA, PEM, from a trusted source
  --head <file>    a signed tree head noted down elsewhere; more than once
  --proofs <file>  default: that of the export with .proofs added
  --key <file>     keys and certificates; default: that of the export with .keys.pem added

Exit code 0: verified; 1: not verified; 2: a file cannot be read, or the call is wrong.
`;

async function run(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      root: { type: 'string' },
      key: { type: 'string' },
      proofs: { type: 'string' },
      head: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [log] = positionals;
  if (values.help === true || log === undefined || positionals.length > 1) {
    process.stdout.write(USAGE);
    return values.help === true ? 0 : 2;
  }
  return verifyCommand(log, values);
}

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${formatError(error)}\n`);
  process.exitCode = 2;
}
