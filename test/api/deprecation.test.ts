import { expect } from 'chai';
import { z } from 'zod';
import { deprecated } from '../../api/http/deprecation.ts';
import { anyone } from '../../api/http/handling.ts';
import { openApiDocument } from '../../api/platform/openApi.ts';
import { type Route, route } from '../../api/http/route.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { deprecationsPage } from '../../main/cli/release/deprecationsPage.ts';
import type { OpenApiDocument } from '../../main/cli/release/openApiDocument.ts';
import { startTestServer } from '../support/http/http.ts';

const nothing = z.object({});
const deprecation = deprecated({
  since: '2026-11-22',
  sunset: '2027-06-01',
  successor: '/v3/lines',
});

function routeAt(path: string, more: Partial<Route> = {}): Route {
  return route({
    name: path.slice(1),
    summary: path,
    method: 'GET',
    path,
    guard: anyone,
    params: nothing,
    query: z.object({ refuse: z.string().optional() }),
    body: null,
    response: {
      200: z.object({ name: z.string().meta({ deprecated: true, description: 'The older' }) }),
    },
    handle: ({ query }) => {
      if ((query as { refuse?: string }).refuse !== undefined) throw new Refusal('NOT_FOUND');
      return { body: { name: 'x' } };
    },
    ...more,
  });
}

describe('A deprecated route', () => {
  it('says so in every answer, refusals too; others do not', async () => {
    // given
    const routes = [routeAt('/old', { deprecated: deprecation }), routeAt('/new')];
    const { server, origin } = await startTestServer(routes);
    // when
    const headersOf = async (path: string) => (await fetch(origin + path)).headers;
    const said = await Promise.all(['/old', '/old?refuse=1'].map(headersOf));
    const unsaid = await headersOf('/new');
    await server.stop(100);
    // then
    for (const headers of said) {
      expect(headers.get('deprecation')).to.equal('@1795305600');
      expect(headers.get('sunset')).to.equal('Tue, 01 Jun 2027 00:00:00 GMT');
      expect(headers.get('link')).to.equal(
        '</openapi.json>; rel="deprecation"; type="application/json", ' +
          '</v3/lines>; rel="successor-version", ' +
          '</openapi.json>; rel="sunset"; type="application/json"',
      );
    }
    for (const name of ['deprecation', 'sunset', 'link']) expect(unsaid.has(name)).to.equal(false);
  });

  it('names no end and no successor where there is none', () => {
    const { headers } = deprecated({ since: '1970-01-02' });
    expect(headers).to.deep.equal([
      ...['deprecation', '@86400'],
      ...['link', '</openapi.json>; rel="deprecation"; type="application/json"'],
    ]);
  });

  it('cannot end before it began, nor on a day there is none', () => {
    expect(() => deprecated({ since: '2026-11-22', sunset: '2026-11-21' })).to.throw(RangeError);
    expect(() => deprecated({ since: '2026-13-01' })).to.throw('Not a day');
    expect(() => deprecated({ since: 'soon' })).to.throw('Not a day');
  });

  it('is marked in the description of the service, and listed in docs/deprecations.md', () => {
    const description = openApiDocument(
      [routeAt('/old', { deprecated: deprecation }), routeAt('/new')],
      {
        title: 'T',
        version: '1.0.0',
      },
    ) as OpenApiDocument;
    expect(description.paths['/old']?.['get']).to.deep.include({
      deprecated: true,
      'x-deprecation': { since: '2026-11-22', sunset: '2027-06-01', successor: '/v3/lines' },
    });
    expect(description.paths['/new']?.['get']).not.to.have.any.keys('deprecated', 'x-deprecation');
    const page = deprecationsPage(description);
    expect(page).to.contain('| `GET /old` | 2026-11-22 | 2027-06-01 | `/v3/lines` |');
    expect(page).to.contain('| `name` of `NewAnswer` | The older |');
    expect(page).not.to.contain('| `GET /new` |');
  });
});
