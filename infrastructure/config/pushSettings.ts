import { count, list, setting } from './settings.ts';

/** Limits on requests pushed to a citizen's phones; 0 switches a rule off. Device links are not limited. */
export const pushSettings = {
  SVC_PUSHES_PER_MINUTE: setting(
    count(1, 100_000_000).default(5),
    'Pushed requests per citizen and minute, from all relying parties and logins together. Confirmed requests do not count.',
  ),
  SVC_PUSHES_PER_RELYING_PARTY: setting(
    count(1, 100_000_000).default(3),
    'The same for one relying party and one citizen.',
  ),
  SVC_PUSHES_RUNNING: setting(
    count(0, 100_000_000).default(5),
    'Unanswered pushed requests per citizen at a time; 0 means no limit.',
  ),
  SVC_PUSH_BACK_OFF: setting(
    count(0, 3600).default(10),
    'Time a relying party has to wait after a citizen refused its request, in seconds. Each further refusal in a row doubles it, up to an hour. The first wrong verification code does not count as a refusal, the second does. 0 means no wait.',
  ),
  SVC_PUSH_BLOCK_HOURS: setting(
    count(0, 8760).default(24),
    'Time during which a relying party cannot push to a citizen who answered "It was not me", in hours; 0 means none.',
  ),
  SVC_PUSH_TEST_CITIZENS: setting(
    list.optional().default([]),
    'Civil ids of test citizens without these limits, comma-separated; only with `SVC_PROFILE=development`. `./tamga up` sets it to its demo citizens.',
  ),
} as const;

/** Settings for the demo alone. */
export function unsafePushSettings(config: {
  readonly SVC_PUSH_TEST_CITIZENS: readonly string[];
}): readonly string[] {
  if (config.SVC_PUSH_TEST_CITIZENS.length === 0) return [];
  return ['SVC_PUSH_TEST_CITIZENS: allowed only with SVC_PROFILE=development; remove it'];
}
