import { networkOf } from '../attempts.ts';
import type { RefusedCommand } from './refusedCommand.ts';

/** Distinct refusals recorded at once, and as many aggregates, per minute and process. */
const SHOWN = 500;

type Shown = Omit<RefusedCommand, 'ip'> & { readonly ip: string | null };

/** Repetitions of a recorded refusal. */
export interface Counted {
  readonly first: Shown;
  readonly count: number;
  /** Times of the first and the last repetition, ISO. */
  readonly since: string;
  readonly until: string;
}

/** Aggregates refusals of anonymous callers per minute, by the caller's network, operation and code. */
export function createAnonymousRefusals() {
  let kinds = new Map<string, Omit<Counted, 'since'> & { readonly since: string | null }>();

  return {
    /** @returns the refusal to record at once; null when it is aggregated */
    count(command: RefusedCommand, time: string): Shown | null {
      const { operation, code, actor } = command;
      const ip = networkOf(command.ip);
      const own = JSON.stringify([ip, operation, code, actor?.kind, actor?.id]);
      const isOver = !kinds.has(own) && kinds.size >= SHOWN;
      const key = isOver ? `others ${code}` : own;
      const known = kinds.get(key);
      if (known !== undefined) {
        const since = known.since ?? time;
        kinds.set(key, { ...known, count: known.count + 1, since, until: time });
        return null;
      }
      const first = isOver ? { ...command, ...others } : { ...command, ip };
      kinds.set(key, { first, count: 0, since: null, until: time });
      return first;
    },
    /** Returns the aggregates since the last call and clears them. */
    take(): readonly Counted[] {
      const counted = [...kinds.values()];
      kinds = new Map();
      return counted.flatMap(({ since, ...rest }) => (since === null ? [] : [{ ...rest, since }]));
    },
  };
}

/** Aggregate of refusals beyond the bound on addresses. */
const others = { operation: 'many', capability: null, subject: null, actor: null, ip: null };
