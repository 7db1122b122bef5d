import { Overloaded } from '../../application/ports/faults.ts';
import { maxBodyBytesOf, readBody } from '../http/body.ts';
import { type Exchange, hasBody, type Step } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';

/**
 * Total size of large bodies held at once, bytes: processing one takes some three times its size.
 */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Makes the step that reads bodies of megabytes, behind their guard and within a total capacity: refused with 503
 * without.
 */
export function createLargeBodies(): (route: Route) => Step {
  const held = new Map<Exchange, number>();
  let inUse = 0;

  function release(exchange: Exchange): void {
    inUse -= held.get(exchange) ?? 0;
    held.delete(exchange);
  }

  async function read(exchange: Exchange, limit: number): Promise<Buffer> {
    const { request, response } = exchange;
    const announced = Number(request.headers['content-length'] ?? limit);
    const need = Math.min(announced, limit);
    if (inUse > 0 && inUse + need > MAX_BYTES) throw new Overloaded('large bodies');
    // Counts what has arrived: announcing a body costs nothing.
    const onBytes = (bytes: number) => {
      const own = held.get(exchange) ?? 0;
      if (inUse > own && inUse + bytes > MAX_BYTES) throw new Overloaded('large bodies');
      held.set(exchange, own + bytes);
      inUse += bytes;
    };
    return readBody(request, response, { limit, onBytes });
  }

  return (route) =>
    async (request, { locals: { exchange } }, next) => {
      if (hasBody(request)) {
        exchange.atLast(() => release(exchange));
        exchange.pause();
        exchange.rawBody = await read(exchange, maxBodyBytesOf(route));
      }
      next();
    };
}
