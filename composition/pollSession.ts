import { createPollSession, type PollSession } from '../application/session/pollSession.ts';
import type { Core } from './core.ts';

/** What waits for sessions, for whoever started one. */
export function composePollSession({ config, foundation, aggregates }: Core): PollSession {
  const { wake, facts, clock } = foundation;
  const { sessions, standingOf, isFollowingSessions: isFollowing } = aggregates;
  return createPollSession({
    ...{ sessions, wake, facts, clock, standingOf, isFollowing },
    soleProcess: config.SVC_SOLE_PROCESS,
  });
}
