import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atItsLimitToday } from '../../application/assistant/fixedTexts.ts';
import {
  type AssistantProviderDouble,
  providerSettings,
  startAssistantProvider,
} from '../support/assistant/assistantProvider.ts';
import { accessToken, assistantUnlimited, testIssuer } from '../support/worlds/assistantWorld.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call } from '../../main/drill/callers.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';

interface Data {
  readonly data: Readonly<Record<string, unknown>>;
}

describe('The assistant in the whole service', function () {
  this.timeout(120_000);
  let provider: AssistantProviderDouble;
  let demo: DemoInstallation;

  before(async () => {
    provider = await startAssistantProvider();
    demo = await startDemoInstallation({
      ...assistantUnlimited,
      ...providerSettings(provider),
      // A call of the double costs 100 + 6 + 50 tokens of input and 20 of output: 176 millionths.
      SVC_AI_PRICES: 'claude-sonnet-5-5=1/1,claude-haiku-5-5=1/1',
      SVC_AI_DAILY_BUDGET: '0.000600',
      SVC_AI_PUBLIC_DAILY_BUDGET: '0.000300',
    });
  });
  after(async () => {
    await demo.stop();
    await provider.stop();
  });

  async function post(path: string, body: object, token?: string) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await call(demo.service.origin + path, { method: 'POST', headers, body });
    return { ...answer, data: (answer.body as unknown as Data).data };
  }

  it('a WAV answer is read by sox as 24 kHz, mono, 16-bit', async () => {
    const { data } = await post('/public/ai/tts', { text: 'Сайн байна уу' });
    const path = join(demo.directory, 'answer.wav');
    await writeFile(path, Buffer.from(String(data['data']), 'base64'));
    const { stdout } = await promisify(execFile)('soxi', [path]);
    expect(stdout).to.match(/Channels\s*: 1\n/);
    expect(stdout).to.match(/Sample Rate\s*: 24000\n/);
    expect(stdout).to.match(/Precision\s*: 16-bit\n/);
    expect(stdout).to.match(/Sample Encoding: 16-bit Signed Integer PCM/);
    expect(stdout).to.match(/Duration\s*: 00:00:00.65/);
  });

  it('operators are issued an access token, good while their session is', async () => {
    const world = openOperatorWorld(demo.service.origin);
    const operator = await world.signedIn('AUDITOR');
    const issued = await operator.call('POST', '/auth/access-token');
    expect(issued.status).to.equal(200);
    const token = String(issued.body['token']);
    const [, payload = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    expect(claims).to.include({
      UserID: operator.id,
      IsAdmin: false,
      RoleID: 'AUDITOR',
      Kind: 'access',
      Email: operator.email,
    });
    expect(claims).to.include.keys('jti', 'exp', 'iss', 'iat');
    const speech = { text: 'x' };
    expect((await post('/api/v1/ai/tts', speech, token)).status).to.equal(200);
    // The session token itself is taken, too.
    expect((await post('/api/v1/ai/tts', speech, operator.token)).status).to.equal(200);

    await world.call('POST', `/admins/${operator.id}/deactivate`);
    expect((await post('/api/v1/ai/tts', speech, token)).status).to.equal(401);
    expect((await post('/api/v1/ai/tts', speech, operator.token)).status).to.equal(401);
  });

  it('a budget per day, shared by all processes, degrades instead of failing', async () => {
    const question = { message: 'x', lang: 'en' };
    const ask = () => post('/public/ai/chat', question);
    expect((await ask()).data).to.deep.equal({ reply: 'OK' });
    expect((await ask()).data).to.deep.equal({ reply: 'OK' });
    const called = provider.asked.messages.length;
    const spent = await ask();
    expect(spent.status).to.equal(200);
    expect(spent.data).to.deep.equal({ reply: atItsLimitToday.en, degraded: true });
    expect(provider.asked.messages).to.have.length(called);

    // Visitors have not spent what is there for the signed-in.
    const token = await accessToken({ iss: testIssuer.issuer });
    const mine = () => post('/api/v1/ai/chat', question, token);
    expect((await mine()).data).to.deep.equal({ reply: 'OK' });
    expect((await mine()).data).to.deep.equal({ reply: 'OK' });
    expect((await mine()).data).to.deep.equal({ reply: atItsLimitToday.en, degraded: true });
    const translated = await post('/api/v1/ai/translate', { text: 'x', target_lang: 'en' }, token);
    expect(translated.data).to.deep.equal({ source_text: 'x', translated: '', degraded: true });
  });

  it('its providers stand in the system status', async () => {
    const { body } = await openOperatorWorld(demo.service.origin).call('GET', '/system');
    expect(body['configuration']).to.include({
      assistantModelConfigured: true,
      assistantTranscriptionConfigured: true,
      assistantSpeechConfigured: true,
      assistantEmbeddingsConfigured: true,
      assistantBudgetConfigured: true,
    });
  });

  it('counts tokens and costs', async () => {
    const text = await (await fetch(`${demo.service.origin}/metrics`)).text();
    expect(text).to.match(/^ai_cost_total\{model="claude-haiku-5-5"\} 0\.000352$/m);
    expect(text).to.match(/^ai_requests_total\{kind="public_tts"\} 1$/m);
    expect(text).to.match(/^ai_degraded_total\{kind="public_chat",reason="budget"\} 1$/m);
  });

  it('with no key configured the rest of the platform is unaffected', async () => {
    const bare = await startDemoInstallation();
    const { origin } = bare.service;
    expect((await fetch(`${origin}/readyz`)).status).to.equal(200);
    expect((await bare.create('/authentication/notification/etsi/PNOMN-0', {})).status).to.equal(
      400,
    );
    const { body } = await openOperatorWorld(origin).call('GET', '/system');
    expect(body['configuration']).to.include({ assistantModelConfigured: false });
    const asked = await call(`${origin}/public/ai/chat`, {
      method: 'POST',
      body: { message: 'x' },
    });
    expect(asked.status).to.equal(500);
    expect(asked.body).to.include({ status: false });
    await bare.stop();
  });
});
