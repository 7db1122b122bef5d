import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';

/** Files that keep or break a rule, and what they break. */
const canaries: Readonly<
  Record<string, { readonly path: string; readonly content: string; readonly breaks: string[] }>
> = {
  'find a domain file that imports a use case': {
    path: 'domain/session/canary.ts',
    content:
      "import { createAggregate } from '../../application/handleCommand.ts';\ncreateAggregate;\n",
    breaks: ['domain-is-pure'],
  },
  'find an aggregate that imports another, even for a type only': {
    path: 'domain/session/typeCanary.ts',
    content:
      "import type { Citizen } from '../citizen/citizen.ts';\nexport type Canary = Citizen;\n",
    breaks: ['aggregates-are-strangers'],
  },
  'find a use case that imports a library': {
    path: 'application/session/canary.ts',
    content: "import { z } from 'zod';\nz;\n",
    breaks: ['application-uses-ports'],
  },
  'find a page of the console that imports another area': {
    path: 'apps/console/src/areas/devices/canary.ts',
    content: "import { search } from '../audit/search.ts';\nsearch;\n",
    breaks: ['areas-are-strangers'],
  },
  'find a script of a page that needs Node.js': {
    path: 'apps/pages/canary.ts',
    content: "import { readFileSync } from 'node:fs';\nreadFileSync;\n",
    breaks: ['pages-have-no-node'],
  },
  'find a client that is loaded whether or not its server is configured': {
    path: 'main/composition/canary.ts',
    content:
      "import { createRedisClient } from '../../infrastructure/redis/client.ts';\ncreateRedisClient;\n",
    breaks: ['loaded-where-configured'],
  },
  'find nothing wrong with a client that is loaded when it is used': {
    path: 'main/composition/lateCanary.ts',
    content:
      "import type { RedisClient } from '../../infrastructure/redis/client.ts';\n" +
      "export const open = async (): Promise<RedisClient> =>\n  (await import('../../infrastructure/redis/client.ts')).createRedisClient('');\n",
    breaks: [],
  },
  'find nothing wrong with a file that keeps them': {
    path: 'domain/session/goodCanary.ts',
    content: "import { fold } from '../shared/decider.ts';\nfold;\n",
    breaks: [],
  },
};

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

/** Verdict of the rules on a copy of the tree that has all these files. */
function violations(): readonly Violation[] {
  const copy = mkdtempSync(join(tmpdir(), 'tamga-canary-'));
  try {
    for (const part of [
      ...['domain', 'application', 'apps/console/src', 'apps/pages', 'infrastructure/redis'],
      ...['package.json', 'tsconfig.json', '.dependency-cruiser.cjs'],
    ]) {
      cpSync(part, join(copy, part), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    const files = Object.values(canaries);
    for (const { path, content } of files) {
      mkdirSync(join(copy, dirname(path)), { recursive: true });
      writeFileSync(join(copy, path), content);
    }
    const { stdout } = spawnSync(
      join(copy, 'node_modules/.bin/depcruise'),
      [
        ...['--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
        ...files.map(({ path }) => path),
      ],
      { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

describe('The import rules', function () {
  this.timeout(120_000);
  let found: readonly Violation[];

  before(() => {
    found = violations();
  });

  for (const [what, { path, breaks }] of Object.entries(canaries)) {
    it(what, () => {
      const rules = found.filter(({ from }) => from === path).map(({ rule }) => rule.name);
      if (breaks.length === 0) expect(rules).to.deep.equal([]);
      else expect(rules).to.include.members(breaks);
    });
  }
});
