import { count, list, setting } from './settings.ts';

/** Limits on requests pushed to a citizen's phones; 0 switches a rule off. Device links are not limited. */
export const pushSettings = {
  SVC_PUSHES_PER_MINUTE: setting(
    count(1, 100_000_000).default(5),
    'Requests pushed to the phones of one citizen a minute, over all relying parties and logins; confirmed ones do not count.',
  ),
  SVC_PUSHES_PER_RELYING_PARTY: setting(
    count(1, 100_000_000).default(3),
    'The same, of one relying party to one citizen.',
  ),
  SVC_PUSHES_RUNNING: setting(
    count(0, 100_000_000).default(5),
    'Unanswered pushed requests of one citizen at once; 0: any number.',
  ),
  SVC_PUSH_BACK_OFF: setting(
    count(0, 3600).default(10),
    'Seconds a relying party waits after a citizen refused its request, doubled by each further refusal in a row up to an hour; one wrong verification code is no refusal, the second is; 0: none.',
  ),
  SVC_PUSH_BLOCK_HOURS: setting(
    count(0, 8760).default(24),
    'Hours a relying party cannot push to a citizen who answered "It was not me"; 0: none.',
  ),
  SVC_PUSH_TEST_CITIZENS: setting(
    list.optional().default([]),
    'Civil ids, separated by commas, of test citizens without these limits; only with `SVC_PROFILE=development`. `./tamga up` names its demo citizens.',
  ),
} as const;

/** Settings for the demo alone. */
export function unsafePushSettings(config: {
  readonly SVC_PUSH_TEST_CITIZENS: readonly string[];
}): readonly string[] {
  if (config.SVC_PUSH_TEST_CITIZENS.length === 0) return [];
  return ['SVC_PUSH_TEST_CITIZENS: only with SVC_PROFILE=development; leave it out'];
}
