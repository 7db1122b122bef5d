import { expect } from 'chai';
import { ConfigurationError, EidClient, type HttpCall, NetworkError } from '../../client/index.ts';
import { rejection } from '../support/assertions/rejection.ts';

interface Sent {
  readonly url: string;
  readonly authorization: string | null;
}

function clientAnswering(body: object) {
  const sent: Sent[] = [];
  const calls: HttpCall[] = [];
  const client = new EidClient({
    baseUrl: 'https://tamga.example/v3/',
    credentials: { rpUUID: 'u', rpName: 'n', apiSecret: 'secret' },
    fetchImpl: (input, init) => {
      const authorization = new Headers(init?.headers).get('authorization');
      sent.push({ url: new URL(input instanceof Request ? input.url : input).href, authorization });
      return Promise.resolve(Response.json(body));
    },
    onCall: (call) => calls.push(call),
  });
  return { ...client.withAccessToken('token'), client, sent, calls };
}

describe('Calls of the client library in the name of a user', () => {
  it('send the token, to addresses without /v3', async () => {
    const { directory, sent, calls } = clientAnswering({
      core_id: 7,
      name: 'Дорж Болд',
      email: null,
      phone: '99112233',
      registration_number: 'УБ85031512',
    });
    expect(await directory.person('уб85031512')).to.deep.equal({
      coreId: 7,
      name: 'Дорж Болд',
      email: null,
      phone: '99112233',
      regNo: 'УБ85031512',
    });
    expect(sent).to.deep.equal([
      {
        url: encodeURI('https://tamga.example/api/platform/v1/directory/person?reg_no=уб85031512'),
        authorization: 'Bearer token',
      },
    ]);
    expect(calls[0]).to.include({ route: '/api/platform/v1/directory/person' });
  });

  it('read organizations', async () => {
    const { directory } = clientAnswering({
      core_id: null,
      name: 'Shop',
      legal_name: 'Shop LLC',
      registration_number: '1234567',
      suggested_slug: 'shop',
      email: null,
      phone: null,
      address: null,
    });
    const found = await directory.organization('1234567');
    expect(found).to.include({ legalName: 'Shop LLC', orgRegister: '1234567', coreId: null });
  });

  it('tell an observer of a file its length alone', async () => {
    const { documents, calls } = clientAnswering({
      file_name: 'a.txt',
      content_type: 'text/plain',
      size_bytes: 3,
      sha256: 'aa',
      warnings: null,
    });
    await documents.attach('id', { bytes: Buffer.from('abc'), fileName: 'a.txt' });
    const request = { type: 'bytes', contentType: 'multipart/form-data', length: 3 };
    expect(calls[0]?.request).to.deep.equal(request);
  });

  it('take no answer that is none, and no token that cannot be sent', async () => {
    const { directory, documents, client } = clientAnswering({});
    expect(await rejection(directory.people('Болд'))).to.be.instanceOf(NetworkError);
    expect(await rejection(documents.read('id'))).to.be.instanceOf(NetworkError);
    expect(() => client.withAccessToken('')).to.throw(ConfigurationError, 'accessToken is empty');
    expect(() => client.withAccessToken('a\nb')).to.throw(ConfigurationError, 'accessToken');
  });
});
