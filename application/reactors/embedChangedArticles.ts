import { embedKnowledge, type EmbedKnowledgeDependencies } from '../assistant/embedKnowledge.ts';
import { backOff, pause } from '../ports/follow.ts';
import type { LeaderLock } from '../ports/leaderLock.ts';
import { knowledgeTopic } from '../../domain/shared/streams.ts';
import { type Notifications } from '../ports/notifications.ts';
import { type Reactor, type ReactorStatus, whileHolding } from './reactor.ts';

export interface EmbedChangedArticlesDependencies extends EmbedKnowledgeDependencies {
  readonly leaderLock: LeaderLock;
  readonly notifications: Notifications;
  /** Embedding failed and is tried again; called once until it succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
}

const name = 'knowledge-embedding';
/** A notification that was missed costs this much at most, ms. */
const LOOK_MS = 60_000;
/** Cooldown after a failure of the provider, ms. */
const REST_MS = 5000;

/**
 * Embeds changed articles as soon as they can be read. Needs no checkpoint: articles without a vector are pending, also
 * after a crash.
 */
export function createArticleEmbedding(dependencies: EmbedChangedArticlesDependencies): Reactor {
  const { leaderLock, notifications, onFailure } = dependencies;
  let state: ReactorStatus['state'] = 'STANDBY';

  async function run(signal: AbortSignal): Promise<void> {
    let tries = 0;
    while (!signal.aborted) {
      const listener = notifications.listen(knowledgeTopic);
      try {
        state = tries === 0 ? 'RUNNING' : 'RETRYING';
        await embedKnowledge(dependencies, signal);
        tries = 0;
        state = 'RUNNING';
        await untilChanged(listener.changed, signal);
      } catch (error) {
        if (tries === 0 && !isAborted(signal)) onFailure(name, error);
        tries += 1;
        state = 'RETRYING';
        await pause(REST_MS + backOff(tries), signal);
      } finally {
        listener.cancel();
      }
    }
    state = 'STANDBY';
  }

  return {
    ...whileHolding(leaderLock, name, run),
    status: () => ({ name, state, position: null }),
  };
}

/** TypeScript remembers what the loop's condition said; it may be over since. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** Its own vectors notify it once more; it finds nothing to do then. */
async function untilChanged(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  await Promise.race([changed, pause(LOOK_MS, ended)]);
  over.abort();
}
