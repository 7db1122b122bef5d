import { expect } from 'chai';
import { z } from 'zod';
import { readFilePart } from '../../api/documents/multipartFile.ts';
import { anyone } from '../../api/http/handling.ts';
import { route } from '../../api/http/route.ts';
import { startTestServer } from '../support/http/http.ts';

type Part = { readonly name: string; readonly fileName?: string; readonly content: string };

/** A form as browsers write it, the file name as it is sent. */
function formOf(parts: readonly Part[]): Buffer {
  const written = parts.map(({ name, fileName, content }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`;
    return `--b\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return Buffer.from(`${written.join('')}--b--\r\n`);
}

describe('F20: an upload', () => {
  let origin: string;
  let stop: () => Promise<unknown>;

  before(async () => {
    const upload = route({
      name: 'upload',
      summary: 'Upload',
      path: '/upload',
      guard: anyone,
      method: 'POST',
      params: z.object({}),
      query: z.object({}),
      body: null,
      streamsBody: true,
      handle: async ({ context }) => ({
        body: await readFilePart(context, 10, async ({ fileName, source }) => {
          const pieces: Uint8Array[] = [];
          for await (const piece of source) pieces.push(piece);
          return { fileName, content: Buffer.concat(pieces).toString() };
        }),
      }),
    });
    const { server, origin: address } = await startTestServer([upload]);
    origin = address;
    stop = () => server.stop(100);
  });

  after(() => stop());

  async function send(...parts: readonly Part[]) {
    const response = await fetch(`${origin}/upload`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: new Uint8Array(formOf(parts)),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return response.status === 200
      ? body['fileName']
      : `${response.status} ${String(body['detail'])}`;
  }

  const named = (fileName: string) => send({ name: 'file', fileName, content: 'a' });

  it('is named as browsers escape it: a quotation mark, and nothing else', async () => {
    expect(await named('a%22b.pdf')).to.equal('a"b.pdf');
    expect(await named('100%25 100%.pdf')).to.equal('100%25 100%.pdf');
    expect(await named('%2e%2e.pdf')).to.equal('%2e%2e.pdf');
    expect(await named('a%0D%0Ab.pdf')).to.match(/^400 .*invisible|control/);
  });

  it('has a sentence for each fault of its name', async () => {
    expect(await named('a'.repeat(119))).to.have.length(119);
    expect(await named('a'.repeat(120))).to.have.length(120);
    expect(await named('a'.repeat(121))).to.equal(
      '400 The name of the file: At most 120 characters; this has 121.',
    );
    expect(await named('a/b.pdf')).to.equal(
      '400 The name of the file: Must be a file name without a path.',
    );
    expect(await named('..')).to.equal(
      '400 The name of the file is "..". Give it a name with letters.',
    );
    expect(await named('')).to.equal(
      '400 The file has no name. Send `filename` in its part of the form.',
    );
    const faults = [await named('a\u202eb.pdf'), await named('ХAАН.pdf')];
    expect(new Set(faults).size).to.equal(2);
    for (const fault of faults) expect(fault).to.match(/^400 The name of the file: /);
  });

  it('of two files is refused: one of them would be lost', async () => {
    const file = { name: 'file', fileName: 'a.pdf', content: 'a' };
    const several = '400 The form has several files in the field `file`. Send one file at a time.';
    expect(await send(file, { ...file, fileName: 'b.pdf' })).to.equal(several);
    expect(await send(file, { name: 'note', content: 'x' })).to.equal('a.pdf');
    expect(await send({ name: 'other', fileName: 'x', content: 'x' }, file)).to.equal('a.pdf');
    expect(await send({ name: 'note', content: 'x' })).to.equal(
      '400 Send the file in the field `file`.',
    );
  });

  it('is counted in files, fields and bytes, each with its bound', async () => {
    const field = { name: 'note', content: 'x' };
    const fields = (count: number) => Array.from({ length: count }, () => field);
    const other = { name: 'other', fileName: 'x', content: 'x' };
    const file = { name: 'file', fileName: 'a.pdf', content: 'a' };
    expect(await send(...fields(15), file)).to.equal('a.pdf');
    expect(await send(...fields(16), file)).to.equal('a.pdf');
    expect(await send(...fields(17), file)).to.equal(
      '400 The form has more than 16 fields. Send only the file, in the field `file`.',
    );
    expect(await send(other, other, other, file)).to.equal('a.pdf');
    expect(await send(other, other, other, other, file)).to.equal(
      '400 The form has more than 4 files. Send only the file, in the field `file`.',
    );
  });
});
