import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

/** The rules found broken in a copy of the tree, with one file more. */
function brokenRules(path: string, content: string): readonly string[] {
  const copy = mkdtempSync(join(tmpdir(), 'tamga-canary-'));
  try {
    for (const part of ['domain', 'application', 'console/src', 'package.json', 'tsconfig.json']) {
      cpSync(part, join(copy, part), { recursive: true });
    }
    cpSync('.dependency-cruiser.cjs', join(copy, '.dependency-cruiser.cjs'));
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, path, '..'), { recursive: true });
    writeFileSync(join(copy, path), content);
    const { stdout } = spawnSync(
      join(copy, 'node_modules/.bin/depcruise'),
      ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', path],
      { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: { from: string; rule: { name: string } }[] };
    };
    return summary.violations.filter(({ from }) => from === path).map(({ rule }) => rule.name);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

describe('The import rules', function () {
  this.timeout(120_000);

  it('find a domain file that imports a use case', () => {
    const canary =
      "import { createAggregate } from '../../application/handleCommand.ts';\ncreateAggregate;\n";
    expect(brokenRules('domain/session/canary.ts', canary)).to.include('domain-is-pure');
  });

  it('find an aggregate that imports another, even for a type only', () => {
    const canary =
      "import type { Citizen } from '../citizen/citizen.ts';\nexport type Canary = Citizen;\n";
    expect(brokenRules('domain/session/canary.ts', canary)).to.include('aggregates-are-strangers');
  });

  it('find a use case that imports a library', () => {
    const canary = "import { z } from 'zod';\nz;\n";
    expect(brokenRules('application/session/canary.ts', canary)).to.include(
      'application-uses-ports',
    );
  });

  it('find a page of the console that imports another area', () => {
    const canary = "import { search } from '../audit/search.ts';\nsearch;\n";
    expect(brokenRules('console/src/areas/devices/canary.ts', canary)).to.include(
      'areas-are-strangers',
    );
  });

  it('find nothing wrong with a file that keeps them', () => {
    const canary = "import { fold } from '../shared/decider.ts';\nfold;\n";
    expect(brokenRules('domain/session/canary.ts', canary)).to.deep.equal([]);
  });
});
