import { expect } from 'chai';
import { type DeprecationNotice, EidClient } from '../../client/index.ts';
import { type ContractServer, startContractServer } from '../support/http/contractServer.ts';

const running = { state: 'RUNNING' };

describe('Deprecation, as the client library tells it', () => {
  let server: ContractServer;
  let notices: DeprecationNotice[];

  const connect = (onDeprecated: (notice: DeprecationNotice) => void) =>
    new EidClient({
      baseUrl: server.origin,
      onDeprecated,
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret: server.apiSecret },
    });
  /** The notices of polls answered with these headers. */
  const told = async (...answers: readonly Readonly<Record<string, string>>[]) => {
    server.script(...answers.map((headers) => ({ body: running, headers })));
    const client = connect((notice) => notices.push(notice));
    for (const [index] of answers.entries()) await client.session.poll(`s${index}`, 0);
    return notices;
  };

  beforeEach(async () => {
    server = await startContractServer();
    notices = [];
  });

  afterEach(() => server.stop());

  it('is notified once per endpoint: start, sunset, successor', async () => {
    const headers = {
      deprecation: '@1795305600',
      sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
      link: '</openapi.json>; rel="deprecation"; type="application/json", </v3/lines>; rel="successor-version"',
    };
    expect(await told(headers, headers, headers)).to.deep.equal([
      {
        method: 'GET',
        route: '/v3/session/{sessionId}',
        deprecatedAt: new Date('2026-11-22T00:00:00Z'),
        sunsetAt: new Date('2027-06-01T00:00:00Z'),
        successor: `${server.origin}/v3/lines`,
        description: `${server.origin}/openapi.json`,
      },
    ]);
  });

  it('has nulls for absent and unreadable values', async () => {
    const headers = {
      deprecation: 'true',
      sunset: 'soon',
      link: '<javascript:alert(1)>; rel="successor-version", <x>; rel=next',
    };
    expect((await told(headers))[0]).to.deep.include({
      deprecatedAt: null,
      sunsetAt: null,
      successor: null,
      description: null,
    });
  });

  it('is not reported where there is none', async () => {
    const sunsetOnly = { sunset: 'Tue, 01 Jun 2027 00:00:00 GMT' };
    expect(await told(sunsetOnly, {})).to.deep.equal([]);
  });

  it('does not touch the person block: older names are read where the newer are missing', async () => {
    const person = { firstName: 'Болд', givenName: 'Бат', surname: 'Дорж', familyName: 'Боржигон' };
    const complete = { state: 'COMPLETE', result: { endResult: 'OK' }, person };
    server.script({ body: complete });
    const { person: read } = await connect(() => undefined).session.poll('s1', 0);
    expect(read).to.deep.include({
      firstName: 'Болд',
      lastName: 'Дорж',
      familyName: 'Боржигон',
      birthDate: null,
      gender: null,
      geID: null,
    });
  });

  it('keeps the response when the observer throws', async () => {
    server.script({ body: running, headers: { deprecation: '@1' } });
    const client = connect(() => {
      throw new Error('mine');
    });
    expect((await client.session.poll('s1', 0)).state).to.equal('RUNNING');
  });
});
