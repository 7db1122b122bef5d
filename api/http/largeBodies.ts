import { Overloaded } from '../../application/ports/faults.ts';
import { discardRest, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';

/**
 * Total size of large bodies held at once, bytes: processing one takes some three times its size.
 */
const MAX_BYTES = 128 * 1024 * 1024;

/** Reads bodies of megabytes within a total capacity. */
export interface LargeBodies {
  /**
   * @throws Refusal PAYLOAD_TOO_LARGE @throws Overloaded without capacity; the rest of the body is
   * not kept then
   */
  read(exchange: Exchange, limit: number): Promise<void>;
  /** Releases the capacity when the exchange has ended. */
  release(exchange: Exchange): void;
}

export function createLargeBodies(): LargeBodies {
  const held = new Map<Exchange, number>();
  let inUse = 0;
  return {
    async read(exchange, limit) {
      const { request, response } = exchange;
      const announced = Number(request.headers['content-length'] ?? limit);
      const need = Math.min(announced, limit);
      if (inUse > 0 && inUse + need > MAX_BYTES) throw new Overloaded('large bodies');
      // Counts what has arrived: announcing a body costs nothing.
      exchange.rawBody = await readBody(request, response, limit, (bytes) => {
        const own = held.get(exchange) ?? 0;
        if (inUse > own && inUse + bytes > MAX_BYTES) throw new Overloaded('large bodies');
        held.set(exchange, own + bytes);
        inUse += bytes;
      });
    },
    release(exchange) {
      inUse -= held.get(exchange) ?? 0;
      held.delete(exchange);
      discardRest(exchange.request);
    },
  };
}
