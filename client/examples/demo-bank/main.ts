import { createServer } from 'node:http';
import { createDemoBank } from './bank.ts';

// The bank as a program of its own; see README.md.

const port = Number(process.env['PORT'] ?? 3000);
createServer(createDemoBank(process.env)).listen(port, '127.0.0.1', () => {
  console.log(`Demo Bank: http://127.0.0.1:${port}/`);
});
