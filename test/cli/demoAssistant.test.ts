import { expect } from 'chai';
import { assistantHint } from '../../main/cli/demoAssistant.ts';

describe('What the demo says of the assistant', () => {
  const origin = 'http://localhost:8080';
  const none = {
    ANTHROPIC_API_KEY: undefined,
    SVC_AI_STT_URL: undefined,
    SVC_AI_TTS_URL: undefined,
  };

  it('without a key: how it is switched on, and that all else works', () => {
    const told = assistantHint(none, origin);
    expect(told).to.match(/^off: .*ANTHROPIC_API_KEY/);
    expect(told).to.include('SVC_AI_STT_URL').and.include('all else works without');
  });

  it('with a key: where it is, and how it gets a voice', () => {
    const silent = assistantHint({ ...none, ANTHROPIC_API_KEY: 'key' }, origin);
    expect(silent)
      .to.match(/^http:\/\/localhost:8080\/assistant\n/)
      .and.include('SVC_AI_TTS_URL');
    const voice = { SVC_AI_STT_URL: 'http://stt/v1', SVC_AI_TTS_URL: 'http://tts/v1' };
    expect(assistantHint({ ...voice, ANTHROPIC_API_KEY: 'key' }, origin)).to.equal(
      `${origin}/assistant`,
    );
  });
});
