import { parseArgs } from 'node:util';
import { runInteractivePhone } from './interactive.ts';

// Phone in the terminal: node dist/apps/phone/cli.js [--url <origin>] [--dir <directory of phones>]

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    dir: { type: 'string', default: '.tamga/phones' },
  },
});

await runInteractivePhone({
  baseUrl: values.url,
  directory: values.dir,
  input: process.stdin,
  output: process.stdout,
});
