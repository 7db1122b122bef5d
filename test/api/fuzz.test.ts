import { expect } from 'chai';
import { discoveryRoute } from '../../api/platform/discovery.ts';
import { healthRoutes } from '../../api/platform/health.ts';
import { atRoot } from '../../api/rp/routes.ts';
import { createMetrics } from '../../infrastructure/telemetry/metrics.ts';
import { recording, startAssistantWorld } from '../support/worlds/assistantWorld.ts';
import { fuzzRoutes, isWhole, ofWhole, servedOfWhole } from '../support/http/fuzzRoutes.ts';
import { nestedInteractions } from '../support/http/nestedRequests.ts';
import { relyingPartyWorld } from '../support/worlds/relyingPartyWorld.ts';

describe('Whatever is thrown at a route', () => {
  it('is answered without a 5xx, with a problem that points at the fault', async function () {
    this.timeout(60_000);
    const { routes, addRelyingParty } = relyingPartyWorld();
    const { relyingPartyId, secret } = addRelyingParty();
    const all = [
      ...routes,
      ...atRoot(routes),
      ...healthRoutes({
        version: '1.0.0',
        checks: {},
        projections: () => [],
        exposeMetrics: createMetrics().expose,
      }),
      discoveryRoute({
        version: '1.0.0',
        rpApiBase: 'https://eid.example',
        deviceLinkBase: 'https://eid.example/device-link',
        appScheme: 'tamga',
        schemeName: 'smart-id',
        issuingCertificates: [],
        maxPdfBytes: 1024,
        listed: routes,
      }),
    ];
    const { sent, served } = await fuzzRoutes(all, {
      authorize: () => ({ authorization: `Bearer ${secret}` }),
      known: {
        relyingPartyUUID: relyingPartyId,
        relyingPartyName: 'DEMO',
        rpChallenge: Buffer.alloc(64, 1).toString('base64'),
        digest: Buffer.alloc(32, 1).toString('base64'),
        hashType: 'SHA256',
        onBehalfOf: null,
        displayText60: 'Нэвтрэх үү?',
        vcType: 'alphaNumeric4',
        linkedSessionID: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
        interactions: nestedInteractions,
        nonce: 'a nonce',
      },
    });
    expect(sent).to.be.greaterThan(ofWhole(2_500));
    expect(served).to.be.greaterThan(servedOfWhole(500));
  });

  it('holds for the assistant', async function () {
    this.timeout(120_000);
    const { routes, provider, token, stop } = await startAssistantWorld();
    provider.hears('words');
    const { served, servedRoutes } = await fuzzRoutes(routes, {
      authorize: () => ({ authorization: `Bearer ${token}` }),
      known: { audio: recording(), target_lang: 'en', message: 'Юу вэ?', text: 'x' },
      runs: 80,
    });
    await stop();
    expect(served).to.be.greaterThan(servedOfWhole(100));
    if (isWhole) expect(servedRoutes).to.have.length(routes.length);
  });
});
