import { expect } from 'chai';
import { linkSource, qrSvg, showDeviceLink } from '../../client/browser/index.ts';
import { scanQrCode } from '../support/browser/qrScan.ts';

const link = (second: number) =>
  `https://link.example/device-link?deviceLinkType=QR&elapsedSeconds=${second}&sessionToken=wGIrqveE6AuGDATZKmR1mtAZ` +
  '&sessionType=auth&version=1.0&lang=mon&authCode=OY1eHaD4UYedrBwtqUbSkpa0w7ttm4FllPkCD_3wlE0';

describe('The browser entry of the client library', () => {
  describe('a QR code', () => {
    it('reads back as what was drawn', () => {
      for (const errorCorrection of ['low', 'medium', 'quartile', 'high'] as const) {
        expect(scanQrCode(qrSvg(link(7), { errorCorrection }))).to.equal(link(7));
      }
      expect(scanQrCode(qrSvg('tamga://approve?sessionId=s1'))).to.equal(
        'tamga://approve?sessionId=s1',
      );
    });

    it('is an image with a name, and no place for a script', () => {
      const svg = qrSvg('x', { size: 240, label: '"><script>alert(1)</script>' });
      expect(svg).to.contain('role="img"').and.to.contain('width="240" height="240"');
      expect(svg).not.to.match(/<script|style=|"><s/);
      expect(qrSvg('x')).to.contain('aria-label="QR code"').and.not.to.contain('width=');
    });

    it('refuses what does not fit', () => {
      expect(() => qrSvg('x'.repeat(3000))).to.throw(Error);
    });
  });

  describe('a device link', () => {
    it('is shown fresh until the session is over', async () => {
      const element = { innerHTML: '' };
      const shown: string[] = [];
      let second = 0;
      const view = showDeviceLink({
        element,
        source: () => Promise.resolve(second < 3 ? link(second++) : null),
        intervalMs: 1,
        onLink: (fresh) => {
          expect(scanQrCode(element.innerHTML)).to.equal(fresh);
          shown.push(fresh);
        },
      });
      await view.ended;
      expect(shown).to.deep.equal([link(0), link(1), link(2)]);
      expect(element.innerHTML).to.equal('');
    });

    it('goes on after a failure', async () => {
      const answers = [() => Promise.reject(new Error('gone')), link(1), null];
      const failures: unknown[] = [];
      const shown: string[] = [];
      await showDeviceLink({
        element: { innerHTML: '' },
        source: () => {
          const answer = answers.shift() ?? null;
          return typeof answer === 'function' ? answer() : Promise.resolve(answer);
        },
        intervalMs: 1,
        onLink: (fresh) => shown.push(fresh),
        onError: (error) => failures.push(error),
      }).ended;
      expect(failures.map(String)).to.deep.equal(['Error: gone']);
      expect(shown).to.deep.equal([link(1)]);
    });

    it('is taken away when stopped, even while the next one is fetched or waited for', async () => {
      const element = { innerHTML: '' };
      const waiting = showDeviceLink({
        element,
        source: () => Promise.resolve(link(0)),
        intervalMs: 60_000,
      });
      while (element.innerHTML === '') await new Promise(setImmediate);
      waiting.stop();
      expect(element.innerHTML).to.equal('');
      await waiting.ended;

      let arrive: (fresh: string) => void = () => undefined;
      const fetching = showDeviceLink({
        element,
        source: () => new Promise<string>((resolve) => (arrive = resolve)),
      });
      fetching.stop();
      arrive(link(0));
      await fetching.ended;
      expect(element.innerHTML).to.equal('');
    });
  });

  describe('the source of links', () => {
    const answering = (status: number, body: unknown) =>
      linkSource('/link', () => Promise.resolve(new Response(JSON.stringify(body), { status })));
    const { signal } = new AbortController();

    it('is the page’s own backend, asked with its cookies', async () => {
      let asked: RequestInit | undefined;
      const source = linkSource('/link', ((_: string, init: RequestInit) => {
        asked = init;
        return Promise.resolve(new Response('{"link":"https://x"}'));
      }) as typeof fetch);
      expect(await source(signal)).to.equal('https://x');
      expect(asked).to.include({ signal, credentials: 'same-origin', cache: 'no-store' });
    });

    it('ends with 404 and 410, and fails with anything else', async () => {
      expect(await answering(404, {})(signal)).to.equal(null);
      expect(await answering(410, {})(signal)).to.equal(null);
      for (const [status, body] of [
        [500, { link: 'x' }],
        [200, {}],
        [200, null],
        [200, { link: 7 }],
      ] as const) {
        const failed = await answering(
          status,
          body,
        )(signal).then(
          () => false,
          () => true,
        );
        expect(failed).to.equal(true);
      }
    });
  });
});
