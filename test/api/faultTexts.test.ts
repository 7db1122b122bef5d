import { expect } from 'chai';
import { z } from 'zod';
import { faultText } from '../../api/problems/faultTexts.ts';
import { anyone } from '../../api/http/handling.ts';
import { nearest } from '../../api/problems/nearest.ts';
import { route } from '../../api/http/route.ts';
import { authenticationBody } from '../../api/rp/generations/generations.ts';
import { encoded } from '../support/http/nestedRequests.ts';
import { startTestServer } from '../support/http/http.ts';

describe('Texts of faults in a request', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>;

  before(async () => {
    server = await startTestServer([
      route({
        name: 'test.faults',
        summary: 'Takes a body',
        method: 'POST',
        path: '/v3/test/faults',
        guard: anyone,
        body: z.object({
          rpChallenge: z.string(),
          id: z.uuid().optional(),
          list: z.array(z.int()),
        }),
        response: { 204: null },
        handle: () => ({ status: 204 }),
      }),
    ]);
  });

  after(() => server.server.stop());

  const faultsOf = async (body: object) => {
    const answer = await fetch(`${server.origin}/v3/test/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { errors } = (await answer.json()) as { errors: { pointer: string; detail: string }[] };
    return Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]));
  };

  it('a5: name the field that was sent in the place of a required one', async () => {
    expect(await faultsOf({ rpChalenge: 'x', list: [] })).to.deep.equal({
      '/rpChallenge': 'Is required. "rpChalenge" was sent: is it misspelt?',
    });
    expect(await faultsOf({ list: [] })).to.deep.equal({ '/rpChallenge': 'Is required.' });
  });

  it('are never those of the schema library', async () => {
    expect(await faultsOf({ rpChallenge: 7, id: 'x', list: [1.5] })).to.deep.equal({
      '/rpChallenge': 'Must be a string.',
      '/id': 'Must be a UUID.',
      '/list/0': 'Must be a whole number.',
    });
  });

  const textOf = (schema: z.ZodType, value: unknown) =>
    schema.safeParse(value, { error: faultText }).error?.issues.map(({ message }) => message);

  it('list what a field may be that tells forms apart', () => {
    const forms = z.discriminatedUnion('type', [
      z.object({ type: z.literal('a') }),
      z.object({ type: z.literal('b') }),
    ]);
    expect(textOf(forms, { type: 'c' })).to.deep.equal(['Must be one of "a", "b".']);
    expect(textOf(z.union([z.int(), z.boolean()]), 'x')).to.deep.equal([
      'Has none of the accepted forms.',
    ]);
  });

  it('name the nearest known field of an unknown one', () => {
    const strict = z.strictObject({ documentNumber: z.string().optional() });
    expect(textOf(strict, { documentNumbr: 'x', colour: 1 })).to.deep.equal([
      'Unknown: documentNumbr (is documentNumber meant?), colour.',
    ]);
  });

  it('name the field that was misspelt within the text of the interactions', () => {
    const interactions = encoded([{ type: 'displayTextAndPIN', displayTxt60: 'x' }]);
    const told = textOf(authenticationBody, { generation: 'G2', interactions });
    expect(told).to.include('Is required. "displayTxt60" was sent: is it misspelt?');
  });

  it('take names for near only where little differs', () => {
    expect(nearest('rpChallenge', ['rpchalenge', 'other'])).to.equal('rpchalenge');
    expect(nearest('email', ['emial', 'emi'])).to.equal('emial');
    expect(nearest('id', ['ip'])).to.equal(null);
    expect(nearest('relyingPartyUUID', ['relyingPartyName'])).to.equal(null);
    expect(nearest('x'.repeat(100), ['x'.repeat(99)])).to.equal(null);
  });
});
