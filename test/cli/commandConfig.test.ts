import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandConfig } from '../../main/cli/openService.ts';
import { ConfigurationError } from '../../infrastructure/config/config.ts';

describe('The configuration of a maintenance command', () => {
  const inherited = { ...process.env };
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-command-'));
    await writeFile(join(directory, 'url'), 'postgres://tamga@db/tamga\n');
  });

  beforeEach(() => {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('SVC_')) Reflect.deleteProperty(process.env, name);
    }
  });

  after(async () => {
    Object.assign(process.env, inherited);
    await rm(directory, { recursive: true });
  });

  it("is the development profile's beside `./tamga up`", () => {
    expect(commandConfig().SVC_PROFILE).to.equal('development');
  });

  it('follows the rules of production with a database of its own, named or in a file', () => {
    for (const [name, value] of [
      ['SVC_DATABASE_URL', 'postgres://tamga@db/tamga'],
      ['SVC_DATABASE_URL_FILE', join(directory, 'url')],
    ] as const) {
      process.env[name] = value;
      expect(() => commandConfig(), name)
        .to.throw(ConfigurationError)
        .with.property('message')
        .that.contains('SVC_SW_MASTER_KEY');
      Reflect.deleteProperty(process.env, name);
    }
  });
});
