import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import type { DemoPhone } from '../support/installation/demoInstallation.ts';
import { type DocumentWorld, startDocumentWorld } from '../support/worlds/documentWorld.ts';
import { onePage } from '../support/pdf/samplePdf.ts';

describe('F12: forgetting a person reaches the files of their documents', function () {
  this.timeout(120_000);
  const [, , third = '', fourth = ''] = demoCitizens.map(({ civilId }) => civilId);
  const letter = Buffer.from('Эрхэм хүндэт ноён, хатагтай\n');
  let world: DocumentWorld;
  let owner: DemoPhone;

  before(async () => {
    world = await startDocumentWorld();
    owner = await world.enrol(third);
    await world.enrol(fourth);
  });
  after(() => world.stop());

  const download = (id: string) => world.admin.call('GET', `/${id}/file`);
  const filed = async (signers: readonly (string | null)[], file: Uint8Array = letter) => {
    const id = await world.admin.create(signers);
    await world.admin.upload(id, file);
    return id;
  };

  /** The bytes of every file in the store. */
  async function stored(): Promise<Buffer> {
    const directory = join(world.directory, 'files');
    const names = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = names.filter((each) => each.isFile());
    return Buffer.concat(
      await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
    );
  }

  it('stores nothing that can be read without a key', async () => {
    const id = await filed([third]);
    expect((await download(id)).bytes.equals(letter)).to.equal(true);
    expect((await stored()).includes(letter)).to.equal(false);
    const signed = await filed([world.phones.first.citizen.civilId], onePage());
    await world.sign(signed, world.phones.first);
    expect((await stored()).includes('%PDF-')).to.equal(false);
  });

  it('leaves no file that nobody signed, and says which signed ones stay and why', async () => {
    const draft = await filed([third]);
    const withAnother = await filed([third, world.phones.first.citizen.civilId]);
    const signed = await filed([third], onePage());
    await world.sign(signed, owner);
    const anothers = await filed([fourth]);

    const { documents } = await world.service.forgetPerson(third);

    expect(documents.kept).to.deep.equal([
      { documentId: signed, reason: 'SIGNED_FOR_ORGANIZATION' },
    ]);
    expect(documents.erased).to.include.members([draft, withAnother]);
    for (const id of [draft, withAnother]) {
      const { status, body } = await download(id);
      expect([status, body['code']]).to.deep.equal([410, 'FILE_ERASED']);
      expect((await world.admin.upload(id, letter)).body['code']).to.equal('FILE_ERASED');
    }
    for (const id of [signed, anothers]) expect((await download(id)).status).to.equal(200);

    const again = await world.service.forgetPerson(third);
    expect(again.documents.kept).to.deep.equal(documents.kept);
  });
});
