import {
  createRevocationListService,
  ListSuperseded,
  oldestListed,
  type RevocationListService,
  type RevocationListServiceOptions,
} from '../certificate/revocationListService.ts';
import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { backOff, follow, pause } from '../ports/follow.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type {
  RevocationListBuilder,
  RevocationState,
  RevocationStates,
} from '../certificate/ports/revocationLists.ts';
import type { LeaderLock } from '../ports/leaderLock.ts';
import type { Staleness } from '../ports/staleness.ts';
import { type Reactor, type ReactorStatus, whileHolding } from './reactor.ts';

export interface PublisherOptions extends Pick<
  RevocationListServiceOptions,
  'lists' | 'clock' | 'clockSlackMs' | 'log'
> {
  readonly eventStore: EventStore;
  readonly leaderLock: LeaderLock;
  readonly states: RevocationStates;
  /** Of the read model that `states` reads. */
  readonly progress: ProjectionProgress;
  readonly staleness: Pick<Staleness, 'isStale' | 'covers' | 'parked'>;
  /** False: an offline root's list, which comes as a file. Default: all are signed here. */
  readonly signsHere?: (authority: IssuingAuthority) => boolean;
  readonly newBuilder: (authority: IssuingAuthority) => RevocationListBuilder;
  /** Of the lists to publish, by CA; see {@link RevocationListServiceOptions.validityMs}. */
  readonly validityMs: ReadonlyMap<IssuingAuthority, number>;
  /** Something failed and is tried again; called once until it succeeds. */
  readonly onFailure: (name: string, cause: unknown) => void;
}

const name = 'publishRevocationLists';

/** Interval of the check for due lists, ms. */
const EVERY_MS = 100;

const changing = new Set(['CertificateRevoked', 'CertificateSuspended', 'CertificateReinstated']);

/** Also of an event that cannot be decoded. */
const serialOf = ({ stream }: RecordedEvent) => identifierOf(stream);

/** True as well while the clock is wrong: publishing then fails, and says why. */
function isDue(service: RevocationListService): boolean {
  try {
    return service.isDue();
  } catch {
    return true;
  }
}

/** Revocation of an authority that was installed after this process was started: a younger one is to publish. */
class UnknownAuthority extends Error {
  constructor(authority: IssuingAuthority) {
    super(
      `This process does not know ${authority}, so it publishes no lists for it. Restart the process.`,
    );
  }
}

/**
 * Publishes the revocation list of every CA: at the start, after a quarter of each list's validity, and within seconds
 * of a revocation. Runs in one process at a time. The log says which certificates changed, the read model their status.
 */
export function createRevocationListPublisher(options: PublisherOptions): Reactor {
  const { eventStore, leaderLock, states, progress, newBuilder, validityMs } = options;
  const { clock, onFailure, staleness, signsHere = () => true } = options;
  let state: ReactorStatus['state'] = 'STANDBY';
  let position: bigint | null = null;
  let taking: Promise<void> = Promise.resolve();
  /** Certificates on the lists because they are parked. */
  const held = new Set<string>();

  /** Tries until it succeeds or the signal aborts. */
  async function persist(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await work();
        state = 'RUNNING';
        return;
      } catch (error) {
        if (error instanceof ListSuperseded || error instanceof UnknownAuthority) throw error;
        if (tries === 1) onFailure(name, error);
        state = 'RETRYING';
        await pause(backOff(tries), signal);
      }
    }
  }

  /** False: a list dated now would claim more than is known. */
  const isCurrent = () => !staleness.isStale('certificates') && staleness.covers(position);

  async function publishWhenDue(
    service: RevocationListService,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      if (isDue(service) && isCurrent()) await persist(() => service.publish(), signal);
      await pause(EVERY_MS, signal);
    }
  }

  function note({ serial, isParked }: RevocationState): void {
    if (isParked === true) held.add(serial);
    else held.delete(serial);
  }

  /** Null: its list is an offline root's, or nobody's. @throws UnknownAuthority */
  function listOf(
    { authority, isLost }: RevocationState,
    services: readonly RevocationListService[],
  ): RevocationListService | null {
    if (!validityMs.has(authority) && isLost !== true) throw new UnknownAuthority(authority);
    return services.find((service) => service.authority === authority) ?? null;
  }

  /** Takes in one after another, so that nothing older is applied after what is newer. */
  function takeIn(
    serials: readonly string[],
    services: readonly RevocationListService[],
  ): Promise<void> {
    const taken = taking.then(async () => {
      for (const changed of await states.of([...new Set(serials)])) {
        note(changed);
        listOf(changed, services)?.apply(changed);
      }
    });
    taking = taken.catch(() => undefined);
    return taken;
  }

  /** Takes in certificates when they are parked, and again when they are folded. */
  async function watchParked(
    services: readonly RevocationListService[],
    signal: AbortSignal,
  ): Promise<void> {
    let before: ReadonlySet<string> = new Set();
    while (!signal.aborted) {
      const parked = staleness.parked('certificates');
      const changed = [
        ...[...parked].filter((serial) => !before.has(serial)),
        ...[...held].filter((serial) => !parked.has(serial)),
      ];
      if (changed.length > 0) await persist(() => takeIn(changed, services), signal);
      before = parked;
      await pause(EVERY_MS, signal);
    }
  }

  async function followLog(
    services: readonly RevocationListService[],
    after: bigint | null,
    signal: AbortSignal,
  ): Promise<void> {
    const onBatch = async (events: readonly RecordedEvent[], next: bigint) => {
      const changes = events.filter(({ event }) => changing.has(event.type));
      const last = changes.at(-1);
      if (last !== undefined) {
        // While the read model lags or is stopped, no list gets a new date.
        await persist(() => progress.untilProjected(last.position), signal);
        await persist(() => takeIn(changes.map(serialOf), services), signal);
      }
      position = next;
    };
    const certificates = { categories: ['certificate'], withoutPersonalData: true } as const;
    await follow(eventStore, { after, ...certificates, keepUndecodable: true, onBatch }, signal);
  }

  async function publishFromSnapshot(signal: AbortSignal): Promise<void> {
    // A lagging read model, such as one in a rebuild, would remove revoked certificates from the lists.
    const head = await eventStore.head();
    if (head !== null) await progress.untilProjected(head);
    const services = [...validityMs]
      .filter(([authority]) => signsHere(authority))
      .map(([authority, validity]) =>
        createRevocationListService({
          ...options,
          authority,
          builder: newBuilder(authority),
          validityMs: validity,
        }),
      );
    held.clear();
    const after = await states.snapshot(oldestListed(clock.now()), async (page) => {
      for (const revoked of page) {
        note(revoked);
        listOf(revoked, services)?.load(revoked);
      }
      await pause(0, signal);
    });
    position = after;
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const outcomes = await Promise.allSettled(
      [
        followLog(services, after, either),
        watchParked(services, either),
        ...services.map((service) => publishWhenDue(service, either)),
      ].map((loop) => loop.finally(() => ended.abort())),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await persist(() => publishFromSnapshot(signal), signal);
    } catch (error) {
      if (!(error instanceof UnknownAuthority)) throw error;
      onFailure(name, error);
      // Its share of the locks would be given to this process again and again.
      void holding.stop();
    } finally {
      state = 'STANDBY';
      position = null;
    }
  }

  const holding = whileHolding(leaderLock, name, run);
  return {
    ...holding,
    status: () => ({ name, state, position }),
  };
}
