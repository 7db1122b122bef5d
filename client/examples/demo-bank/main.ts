import { createServer } from 'node:http';
import { createDemoBank } from './bank.ts';

// Entry point of the bank as a standalone program; see README.md.

const port = Number(process.env['PORT'] ?? 3000);
createServer(createDemoBank(process.env)).listen(port, '127.0.0.1', () => {
  console.log(`Demo Bank: http://127.0.0.1:${port}/`);
});
