import { expect } from 'chai';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';

/** The specification's table “Other platform endpoints”, row by row; what each does in full is tested where it is built. */
describe('Other platform endpoints', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  let token: string;

  before(async () => {
    demo = await startDemoInstallation();
    ({ token } = await openOperatorWorld(demo.service.origin).signedIn('SUPER_ADMIN'));
  });

  after(() => demo.stop());

  const get = (path: string, bearer?: string): Promise<Answer> =>
    call(demo.service.origin + path, {
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    });

  it('GET /v3/kyc/methods lists the active methods, to anybody', async () => {
    const { status, body } = await get('/v3/kyc/methods');
    expect(status).to.equal(200);
    const methods = body['methods'] as readonly { method: string; available: boolean }[];
    expect(methods.filter(({ available }) => available).map(({ method }) => method)).to.include(
      'citizenCard',
    );
    for (const { method } of methods) {
      expect(method).to.be.oneOf(['dan', 'gsign', 'passport', 'citizenCard']);
    }
  });

  for (const [path, query] of [
    ['/api/platform/v1/directory/person', '?reg_no=УБ85031512'],
    ['/api/platform/v1/directory/organisation', '?reg_no=0000000'],
    ['/api/platform/v1/directory/people', '?q='],
  ] as const) {
    it(`GET ${path} answers who may read the directory, and nobody else`, async () => {
      expect((await get(path + query)).status).to.equal(401);
      const { status, body } = await get(path + query, token);
      if (path.endsWith('organisation')) expect(status).to.equal(404);
      else expect(status).to.equal(200);
      if (path.endsWith('person')) expect(body['registration_number']).to.be.a('string');
      if (path.endsWith('people')) expect(body['people']).to.be.an('array');
    });
  }

  it('POST and GET /documents/{id}/file, GET /documents/{id}/signing-rails: bytes decide, rails say why not', async () => {
    const root = `${demo.service.origin}/documents`;
    const headers = { authorization: `Bearer ${token}` };
    const titled = { title: 'A request', doc_type: 'REQUEST' };
    const { body: created } = await call(root, { method: 'POST', headers, body: titled });
    const address = `${root}/${String(created['id'])}`;
    const form = new FormData();
    form.append('file', new Blob(['no PDF'], { type: 'application/pdf' }), 'request.pdf');
    expect((await fetch(`${address}/file`, { method: 'POST', body: form })).status).to.equal(401);
    const uploaded = await fetch(`${address}/file`, { method: 'POST', headers, body: form });
    expect(await uploaded.json()).to.include({
      file_name: 'request.pdf',
      content_type: 'application/octet-stream',
      size_bytes: 6,
    });
    const file = await fetch(`${address}/file`, { headers });
    expect(await file.text()).to.equal('no PDF');
    expect(file.headers.get('cache-control')).to.equal('no-store');
    const { body } = await call(`${address}/signing-rails`, { headers });
    const rails = body['rails'] as readonly { method: string; reason?: string }[];
    expect(rails.map(({ method }) => method)).to.have.members(['EID', 'DAN']);
    expect(rails.find(({ method }) => method === 'DAN')?.reason).to.equal('not_configured');
  });

  it('GET /api/v1/oauth2/consent answers an unknown client with an error', async () => {
    const query = '?client_id=nobody&redirect_uri=https://rp.example.mn/&scope=openid';
    const { status, body } = await get(`/api/v1/oauth2/consent${query}`, token);
    expect(status).to.be.within(400, 404);
    expect(body).to.include.keys('error', 'error_description');
  });

  it('GET /metrics has the duration histogram, _OTHER, and the requests in flight', async () => {
    await fetch(`${demo.service.origin}/nowhere`, { method: 'PROPFIND' });
    const text = await (await fetch(`${demo.service.origin}/metrics`)).text();
    expect(text).to.contain('# TYPE http_server_request_duration_seconds histogram');
    expect(text).to.match(/http_server_request_duration_seconds_count\{[^}]*\} \d+/);
    expect(text).to.contain('http_request_method="_OTHER",http_route="unmatched"');
    expect(text).to.match(/^resilience_in_flight_requests \d+$/m);
  });
});
