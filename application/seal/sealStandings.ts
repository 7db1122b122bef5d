import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { categoryOf, identifierOf } from '../../domain/shared/streams.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { backOff, follow, pause } from '../ports/follow.ts';
import { readSealStanding, type SealStanding } from './sealStanding.ts';

export interface SealStandingsDependencies {
  readonly eventStore: EventStore;
  /** Following failed and is tried again; called once until it succeeds. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * What organizations' seals rest on, remembered while the log is followed. A seal asks twice: `current` before it signs,
 * `holdsAt` once its event has its place in the log.
 */
export interface SealStandings {
  /** Resolves when everything that is appended from now on will be seen. @throws Unavailable(eventStore) */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** As remembered or read; may be out of date by the moment it takes to follow. */
  current(register: string): Promise<SealStanding>;
  /** Resolves when what was appended there is taken in here, or after a moment in vain: whether it is. */
  followed(position: bigint): Promise<boolean> | boolean;
  /** What counts at this place of the log, exactly. `used` itself when nothing has changed since it was read. */
  at(register: string, used: SealStanding, position: bigint): Promise<SealStanding>;
}

interface Waiter {
  readonly position: bigint;
  /** Of {@link performance}, ms. */
  readonly since: number;
  readonly settle: (reached: boolean) => void;
}

/** Whoever waited this long for the log to be followed reads it instead, ms. */
const PATIENCE_MS = 100;
/** Organizations remembered at most. */
const REMEMBERED = 10_000;

export function createSealStandings({
  eventStore,
  onFailure,
}: SealStandingsDependencies): SealStandings {
  const remembered = new Map<string, Promise<SealStanding>>();
  /** Which organization seals with a certificate; only of those remembered. */
  const registers = new Map<string, string>();
  /** Read at the moment. */
  const loading = new Set<string>();
  let reached: bigint | null = null;
  let waiting: Waiter[] = [];
  let stopping = new AbortController();
  let running: Promise<void> | undefined;
  let impatience: NodeJS.Timeout | undefined;

  function forget(register: string): void {
    remembered.delete(register);
  }

  function forgetAll(): void {
    remembered.clear();
    registers.clear();
  }

  function take({ stream, event }: RecordedEvent): void {
    const category = categoryOf(stream);
    if (category === 'organization' || category === 'sealCertificate') forget(identifierOf(stream));
    if (category !== 'certificate') return;
    const { type } = event as CertificateEvent;
    if (type === 'CertificateRequested' || type === 'CertificateIssued') return;
    const register = registers.get(identifierOf(stream));
    if (register !== undefined) forget(register);
    // Whose certificate it is will only be known when they are read.
    for (const each of loading) forget(each);
  }

  function progressed(position: bigint): void {
    reached = position;
    const still: Waiter[] = [];
    for (const waiter of waiting) {
      if (waiter.position <= position) waiter.settle(true);
      else still.push(waiter);
    }
    waiting = still;
  }

  function giveUp(before: number): void {
    const still: Waiter[] = [];
    for (const waiter of waiting) {
      if (waiter.since <= before) waiter.settle(false);
      else still.push(waiter);
    }
    waiting = still;
  }

  async function run(from: bigint | null, signal: AbortSignal): Promise<void> {
    let position = from;
    for (let tries = 0; !signal.aborted;) {
      try {
        const onBatch = (events: readonly RecordedEvent[], next: bigint) => {
          for (const event of events) take(event);
          position = next;
          tries = 0;
          progressed(next);
          return Promise.resolve();
        };
        // The seals themselves, so that whoever waits for theirs is told at once.
        const categories = ['organization', 'sealCertificate', 'certificate', 'seal'];
        const options = { after: position, categories, withoutPersonalData: true, onBatch };
        await follow(eventStore, options, signal);
      } catch (error) {
        if (tries === 0) onFailure(error);
        tries += 1;
        await pause(backOff(tries), signal);
      }
    }
  }

  function followed(position: bigint): Promise<boolean> | boolean {
    if (reached !== null && reached >= position) return true;
    if (running === undefined) return false;
    return new Promise((settle) => {
      waiting.push({ position, since: performance.now(), settle });
    });
  }

  async function load(register: string): Promise<SealStanding> {
    loading.add(register);
    try {
      const standing = await readSealStanding(eventStore, register);
      const serial = standing.sealCertificate.current?.serial;
      if (serial !== undefined) registers.set(serial, register);
      return standing;
    } catch (error) {
      forget(register);
      throw error;
    } finally {
      loading.delete(register);
    }
  }

  return {
    followed,
    async start() {
      reached = null;
      const head = await eventStore.head();
      stopping = new AbortController();
      running = run(head, stopping.signal);
      impatience = setInterval(
        () => giveUp(performance.now() - PATIENCE_MS),
        PATIENCE_MS / 2,
      ).unref();
    },
    async stop() {
      clearInterval(impatience);
      stopping.abort();
      await running;
      running = undefined;
      giveUp(Infinity);
      forgetAll();
    },
    current(register) {
      const known = remembered.get(register);
      if (known !== undefined) return known;
      if (remembered.size >= REMEMBERED) forgetAll();
      const reading = load(register);
      if (running !== undefined) remembered.set(register, reading);
      return reading;
    },
    async at(register, used, position) {
      const isUnchanged = async () => (await remembered.get(register)) === used;
      if ((await followed(position)) && (await isUnchanged())) return used;
      return readSealStanding(eventStore, register, position);
    },
  };
}
