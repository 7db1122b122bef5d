import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const infrastructure = fileURLToPath(new URL('../../../infrastructure', import.meta.url));

describe('D: A connection to PostgreSQL that the server ends', () => {
  it('ends no process: each listens for its error, which would be uncaught otherwise', async () => {
    const silent: string[] = [];
    for (const name of await readdir(infrastructure, { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const text = await readFile(join(infrastructure, name), 'utf8');
      const made = text.match(/new pg\.(?:Client|Pool)\(/gu)?.length ?? 0;
      const heard = text.match(/\.on\('error'|createReconnectingClient\(/gu)?.length ?? 0;
      if (heard < made) silent.push(name);
    }
    expect(silent).to.deep.equal([]);
  });
});
