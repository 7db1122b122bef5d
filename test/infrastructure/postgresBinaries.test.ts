import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { debianBinaries } from '../../infrastructure/postgres/binaries.ts';

describe('PostgreSQL as Debian installs it', () => {
  it('is the newest version by number, or none', async () => {
    const root = await mkdtemp(join(tmpdir(), 'tamga-postgresql-'));
    try {
      expect(debianBinaries(join(root, 'missing'))).to.equal(null);
      expect(debianBinaries(root)).to.equal(null);
      for (const version of ['9', '15', '17']) await mkdir(join(root, version));
      expect(debianBinaries(root)).to.deep.equal({
        postgres: join(root, '17/bin/postgres'),
        initdb: join(root, '17/bin/initdb'),
      });
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
