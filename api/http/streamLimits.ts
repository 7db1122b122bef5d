import { networkOf } from '../../application/audit/anonymousRefusals.ts';
import { Overloaded } from '../../application/ports/faults.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './route.ts';

/** Counts the streamed responses of each route, which hold what they read from until they are read. */
export interface StreamLimits {
  /**
   * Takes a place of the route's {@link Route.streamsAtOnce}, of which one caller has half at most.
   *
   * @returns function that gives it back
   * @throws Overloaded
   */
  enter(route: Route, exchange: Exchange): () => void;
}

/** One for each server. */
export function createStreamLimits(): StreamLimits {
  const running = new Map<Route, string[]>();
  return {
    enter(route, exchange) {
      const { streamsAtOnce: limit } = route;
      if (limit === undefined) return () => undefined;
      const { actor, ip } = exchange;
      const caller = actor === null ? networkOf(ip) : `${actor.kind} ${actor.id}`;
      const callers = running.get(route) ?? [];
      const own = callers.filter((each) => each === caller).length;
      if (callers.length >= limit || own >= Math.ceil(limit / 2)) throw new Overloaded(route.name);
      callers.push(caller);
      running.set(route, callers);
      return () => {
        callers.splice(callers.indexOf(caller), 1);
      };
    },
  };
}
