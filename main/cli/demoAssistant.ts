import type { Config } from '../../infrastructure/config/config.ts';

/** Address of the demo's assistant, or instructions to enable it: lines printed by `up`. */
export function assistantHint(
  config: Pick<Config, 'ANTHROPIC_API_KEY' | 'SVC_AI_STT_URL' | 'SVC_AI_TTS_URL'>,
  origin: string,
): string {
  const isOn = config.ANTHROPIC_API_KEY !== undefined;
  const isMute = config.SVC_AI_STT_URL === undefined || config.SVC_AI_TTS_URL === undefined;
  const lines = [
    isOn
      ? `${origin}/assistant`
      : 'off: start again with ANTHROPIC_API_KEY set (and ANTHROPIC_BASE_URL for another server of the same API)',
    ...(isMute
      ? ['voice: SVC_AI_STT_URL and SVC_AI_TTS_URL name an OpenAI-compatible server, up to /v1']
      : []),
    ...(isOn ? [] : ['docs/configuration.md has the rest; all else works without']),
  ];
  return lines.join('\n             ');
}
