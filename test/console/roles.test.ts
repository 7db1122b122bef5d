import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  hasCapability,
  operatorRoles,
  type OperatorRole,
} from '../../domain/operator/capabilities.ts';
import { type ConsolePage, consolePages } from '../support/browser/consolePages.ts';
import { useConsole } from '../support/worlds/consoleWorld.ts';

/** Status of a call that no page makes by itself. */
function force(page: Page, method: string, path: string): Promise<number> {
  const options = { method, headers: { 'content-type': 'application/json' } };
  const sent = method === 'GET' ? options : { ...options, body: '{}' };
  return page.evaluate<number>(
    `fetch('${path}', ${JSON.stringify(sent)}).then(({ status }) => status)`,
  );
}

const mayOpen = (role: OperatorRole, { capability }: ConsolePage) =>
  capability === null || hasCapability(role, capability);

/**
 * Tells whether a role is the first to see a page open, or refused: the page asks for its capability and no role, and
 * shows every other role with the same answer the same.
 */
const isFirstToSee = (role: OperatorRole, shown: ConsolePage) =>
  operatorRoles.find((each) => mayOpen(each, shown) === mayOpen(role, shown)) === role;

describe('The console', function () {
  this.timeout(120_000);
  const world = useConsole({
    // With an assistant, whose pages are in no menu otherwise; nothing here asks it.
    settings: () => ({ ANTHROPIC_API_KEY: 'never sent', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }),
  });

  for (const role of operatorRoles) {
    it(`shows ${role} exactly the pages of the role, and the service refuses the others`, async () => {
      const { page, open } = await world().as(role, { language: 'en' });
      await open('/account');
      const may = consolePages.filter((each) => mayOpen(role, each));
      const links = page.getByRole('navigation').getByRole('link');
      const shown = await Promise.all((await links.all()).map((link) => link.getAttribute('href')));
      expect([...shown].sort()).to.deep.equal(may.map(({ path }) => path).sort());

      for (const each of consolePages) {
        const { path, capability, reads } = each;
        const isAllowed = mayOpen(role, each);
        if (isFirstToSee(role, each)) {
          const asked: string[] = [];
          page.on('request', (request) => asked.push(new URL(request.url()).pathname));
          await open(path);
          const refusal = page.getByRole('heading', {
            name: 'You do not have access to this page',
          });
          expect(await refusal.count(), path).to.equal(isAllowed ? 0 : 1);
          if (!isAllowed) expect(asked, path).not.to.include(reads);
          page.removeAllListeners('request');
        }
        if (reads === null) continue;
        const isRefused = (await force(page, 'GET', reads)) === 403;
        expect(isRefused, capability ?? '').to.equal(!isAllowed);
      }
      // A body that says nothing is refused before anything is changed: by the guard, or by the schema after it.
      const mayAdd = hasCapability(role, 'admin:manage');
      expect(await force(page, 'POST', '/v3/admin/admins')).to.equal(mayAdd ? 400 : 403);
      const mayRegister = hasCapability(role, 'rp:write');
      expect(await force(page, 'POST', '/v3/admin/relying-parties')).to.equal(
        mayRegister ? 400 : 403,
      );
    });
  }
});
