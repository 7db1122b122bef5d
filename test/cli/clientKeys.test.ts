import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readKeySet } from '../../main/cli/clientKeys.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('The keys of an OpenID Connect client, in a file', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-keys-'));
  });

  after(() => rm(directory, { recursive: true }));

  async function reading(text: string) {
    const path = join(directory, 'jwks.json');
    await writeFile(path, text);
    return readKeySet(path);
  }

  it('are read from a JSON Web Key Set, their texts alone', async () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
    const text = JSON.stringify({ keys: [{ ...key, key_ops: ['verify'] }] });
    expect(await reading(text)).to.deep.equal([key]);
  });

  it('are not read from anything else', async () => {
    for (const text of ['', '[]', '{"keys":[]}', '{"kty":"EC"}', 'PEM']) {
      expect(await rejection(reading(text)), text).to.match(/is not a JSON Web Key Set/);
    }
  });
});
