import { execFileSync } from 'node:child_process';
import { randomUUID, scrypt } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { NotReady, Unavailable } from '../../application/ports/faults.ts';
import { createDirectoryObjects } from '../../infrastructure/files/directoryObjects.ts';
import { createOutsideAccess, withinBound } from '../../infrastructure/outside/access.ts';
import {
  type BoundedDependency,
  createOutside,
  outsideBounds,
} from '../../infrastructure/outside/bounds.ts';
import { nameChecks } from '../../infrastructure/outside/names.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';

const never = () => new Promise<never>(() => undefined);
const timeoutMs = 30;

describe('What is outside', () => {
  const dependencies = Object.keys(outsideBounds) as BoundedDependency[];

  for (const dependency of dependencies) {
    it(`N15: ${dependency} that hangs is refused, says so in /readyz, and keeps nothing else waiting`, async () => {
      const outside = createOutside();
      const access = outside.open(dependency, { timeoutMs });
      const { most } = outsideBounds[dependency];
      let running = 0;
      const calls = Array.from({ length: most * 3 }, () =>
        rejection(
          access.run(() => {
            running += 1;
            return never();
          }),
        ),
      );
      for (const error of await Promise.all(calls)) {
        expect(error).to.be.instanceOf(Unavailable);
        expect((error as Unavailable).dependency).to.equal(dependency);
      }
      expect(running, 'at once').to.equal(most);
      expect(await rejection(access.run(never)), 'at once, while all hang').to.be.instanceOf(
        Unavailable,
      );
      const states = await Promise.allSettled(
        dependencies.map(async (name) => {
          outside.open(name);
          await outside.checks()[name]?.();
        }),
      );
      const down = states.flatMap(({ status }, at) =>
        status === 'rejected' ? [dependencies[at]] : [],
      );
      expect(down).to.deep.equal([dependency]);
      expect(await rejection(access.check())).to.be.instanceOf(NotReady);
    });
  }

  it('is a table in the operations manual', async () => {
    const page = await readFile('docs/operations.md', 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\|/gm)].map(([, name, most]) => [
      name,
      Number(most),
    ]);
    const table = Object.entries(outsideBounds).map(([name, { most }]) => [name, most]);
    expect(Object.fromEntries(rows)).to.deep.include(Object.fromEntries(table));
  });

  it('has places again when a hung call ends, and closes what was opened too late', async () => {
    const access = createOutsideAccess({ dependency: 'fileStore', most: 1, timeoutMs });
    let answer: (file: string) => void = () => undefined;
    let closed = '';
    const late = access.run(
      () => new Promise<string>((resolve) => (answer = resolve)),
      (file) => (closed = file),
    );
    expect(await rejection(late)).to.be.instanceOf(Unavailable);
    answer('late');
    await until(() => closed === 'late');
    expect(await access.run(() => Promise.resolve('well'))).to.equal('well');
    await access.check();
  });

  it('counts a hung closing, too', async () => {
    const access = createOutsideAccess({ dependency: 'fileStore', most: 1, timeoutMs });
    access.later(never);
    expect(await rejection(access.run(never))).to.be.instanceOf(Unavailable);
    expect(await rejection(access.check())).to.be.instanceOf(NotReady);
  });

  it('refuses a call when too many wait', async () => {
    const access = createOutsideAccess({ dependency: 'push', most: 1, timeoutMs: 10_000 });
    let end: () => void = () => undefined;
    const first = access.run(() => new Promise<void>((resolve) => (end = resolve)));
    const waiting = Array.from({ length: 256 }, () => access.run(() => Promise.resolve()));
    expect(await rejection(access.run(never))).to.be.instanceOf(Unavailable);
    end();
    await Promise.all([first, ...waiting]);
  });

  it('is degraded after a call that failed, until one succeeds', async () => {
    const access = createOutsideAccess({ dependency: 'push', most: 1, timeoutMs });
    const gateway = withinBound(access, {
      fail: () => Promise.reject(new Unavailable('push')),
      refuse: () => Promise.reject(new Error('no such phone')),
      notify: () => Promise.resolve(),
    });
    await rejection(gateway.refuse());
    await access.check();
    await rejection(gateway.fail());
    expect(await rejection(access.check())).to.be.instanceOf(NotReady);
    await gateway.notify();
    await access.check();
  });

  it('N15: names that are not resolved are said by the setting that has them', async () => {
    const config = readConfig({
      SVC_PROFILE: 'development',
      SVC_REDIS_URL: 'redis://redis.example:6379',
      SVC_PUSH_GATEWAY_URL: 'https://127.0.0.1',
    });
    const outside = () => {
      const made = createOutside();
      made.open('names', { timeoutMs });
      return made;
    };
    for (const resolve of [never, () => Promise.reject(new Error('ENOTFOUND'))]) {
      const error = await rejection(
        nameChecks(config, outside(), resolve)['names']?.() ?? Promise.resolve(),
      );
      expect((error as Error).message).to.equal('The host in SVC_REDIS_URL cannot be resolved.');
    }
    const numeric = readConfig({ SVC_PROFILE: 'development' });
    expect(nameChecks(numeric, outside(), never)).to.deep.equal({});
  });

  describe('N15: a file volume that hangs', () => {
    const ids = Array.from({ length: 12 }, () => randomUUID());
    let directory: string;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tamga-hung-volume-'));
      execFileSync(
        'mkfifo',
        ids.map((id) => join(directory, id)),
      );
    });

    after(() => rm(directory, { recursive: true, force: true }));

    it('keeps two threads of the pool: what needs the others goes on', async () => {
      const access = createOutside().open('fileStore', { timeoutMs });
      const objects = createDirectoryObjects({ directory, dependency: 'fileStore', access });
      const reads = ids.map((id) => rejection(objects.get(id)));
      // Signing in: derives a key in the pool. Before the bound, twelve opens took every thread.
      await promisify(scrypt)('password', 'salt', 32);
      for (const error of await Promise.all(reads)) expect(error).to.be.instanceOf(Unavailable);
      expect(await rejection(access.check())).to.be.instanceOf(NotReady);
      await Promise.all(ids.slice(0, 2).map(answerWith));
      await until(() =>
        access.check().then(
          () => true,
          () => false,
        ),
      );
    });

    /** Lets the hung open of a file return. */
    async function answerWith(id: string): Promise<void> {
      const end = createWriteStream(join(directory, id));
      await once(end, 'open');
      end.end();
    }
  });
});
