import type { AnyReadModel } from './readModel.ts';

/** State of one projection. RETRYING: outage of a dependency; it continues by itself. */
export type ProjectionPhase = 'STANDBY' | 'RUNNING' | 'RETRYING' | 'FAILED';

export interface ProjectionStatus {
  readonly name: string;
  readonly state: ProjectionPhase;
  /** Log position the read model has reached; null: none yet, or standing by. */
  readonly position: bigint | null;
  /** Age of the last projected event, while more are pending, milliseconds; 0 when caught up. */
  readonly lagMs: number;
}

/** The checkpoint was moved by another process or a rebuild. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** An event that cannot be projected. */
export class PoisonEvent extends Error {
  override readonly name = 'PoisonEvent';
  readonly eventId: string;

  constructor(eventId: string, cause: unknown) {
    super('An event cannot be projected.', { cause });
    this.eventId = eventId;
  }
}

/** Step after a failure: begin again, begin again after a pause, or wait for an operator. */
export type Recovery =
  | { readonly kind: 'again' }
  | { readonly kind: 'pause'; readonly tries: number }
  | { readonly kind: 'fail'; readonly cause: unknown; readonly eventId: string | null };

/** State of a projection: told what happened, it says what to do next. Does nothing itself. */
export class ProjectionState {
  readonly #name: string;
  #phase: ProjectionPhase = 'STANDBY';
  #position: bigint | null = null;
  #newestTime: string | null = null;
  #isCaughtUp = false;
  #tries = 0;
  #hasAdvanced = false;
  /** A new release or a rebuild may be able to project parked events. */
  #triesAll = true;

  constructor(name: string) {
    this.#name = name;
  }

  /** Log position the read model has reached. */
  get position(): bigint | null {
    return this.#position;
  }

  /** True when every parked row is tried again, not only those that an operator wants to be. */
  get triesAll(): boolean {
    return this.#triesAll;
  }

  /** Notes that it follows the log from the checkpoint that is stored. */
  began(stored: bigint | null): void {
    this.#phase = 'RUNNING';
    this.#position = stored;
  }

  /** Notes that everything up to a position was projected; `newestTime`: of its last event, if it had any. */
  advanced(position: bigint, newestTime: string | null): void {
    this.#position = position;
    this.#newestTime = newestTime ?? this.#newestTime;
    this.#hasAdvanced = true;
  }

  /** Notes that events are there to be projected. */
  fellBehind(): void {
    this.#isCaughtUp = false;
  }

  caughtUp(): void {
    this.#isCaughtUp = true;
  }

  /** @param isOutage whether a dependency is away, so that it goes on by itself */
  failed(cause: unknown, isOutage: boolean): Recovery {
    this.#tries = this.#hasAdvanced ? 1 : this.#tries + 1;
    this.#hasAdvanced = false;
    this.#triesAll = false;
    if (cause instanceof Superseded) return { kind: 'again' };
    if (isOutage) {
      this.#phase = 'RETRYING';
      return { kind: 'pause', tries: this.#tries };
    }
    this.#phase = 'FAILED';
    this.#triesAll = true;
    return cause instanceof PoisonEvent
      ? { kind: 'fail', cause: cause.cause, eventId: cause.eventId }
      : { kind: 'fail', cause, eventId: null };
  }

  /** Notes that another process has it. */
  stoodBy(): void {
    this.#phase = 'STANDBY';
    this.#position = null;
    this.#newestTime = null;
    this.#isCaughtUp = false;
    this.#tries = 0;
    this.#triesAll = true;
  }

  status(now: Date): ProjectionStatus {
    const isBehind = !this.#isCaughtUp && this.#newestTime !== null;
    const lagMs = isBehind ? Math.max(0, now.getTime() - Date.parse(this.#newestTime ?? '')) : 0;
    return { name: this.#name, state: this.#phase, position: this.#position, lagMs };
  }
}

/**
 * Pace of a projection: events of a batch at most, and milliseconds after it in which more gather, unless somebody waits
 * for them: under load many appends share one transaction, while an event after a quiet moment is projected at once.
 */
export interface Pace {
  readonly maxBatch: number;
  readonly gatherMs: (projected: number) => number;
}

const paces = {
  ordinary: { maxBatch: 2000, gatherMs: (projected: number) => Math.min(25, 5 + projected / 4) },
  /** By night, too, a batch costs as much for one event as for many. */
  busy: { maxBatch: 2000, gatherMs: () => 50 },
  inBackground: {
    maxBatch: 5000,
    gatherMs: (projected: number) => Math.min(250, 5 + projected * 2),
  },
} satisfies Record<string, Pace>;

export function paceOf({
  inBackground,
  isBusy,
}: Pick<AnyReadModel, 'inBackground' | 'isBusy'>): Pace {
  if (inBackground === true) return paces.inBackground;
  return isBusy === true ? paces.busy : paces.ordinary;
}
