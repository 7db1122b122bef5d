import { Overloaded } from '../../application/ports/faults.ts';
import { discardRest, hasBody, readBody } from './body.ts';
import type { NodeExchange } from './nodeExchange.ts';

/** What large bodies may take together, bytes: working on one takes some three times its size. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Reads bodies of megabytes, only so many at a time. */
export interface LargeBodies {
  /** @throws Refusal PAYLOAD_TOO_LARGE @throws Overloaded when there is no room; the body is not read then */
  read(exchange: NodeExchange, limit: number): Promise<void>;
  /** When the exchange has ended, whether its body was read or not. */
  release(exchange: NodeExchange): void;
}

export function createLargeBodies(): LargeBodies {
  const reserved = new Map<NodeExchange, number>();
  let inUse = 0;
  return {
    async read(exchange, limit) {
      const { request, response } = exchange;
      if (!hasBody(request)) return;
      const announced = Number(request.headers['content-length'] ?? limit);
      const need = Math.min(announced, limit);
      if (inUse > 0 && inUse + need > MAX_BYTES) throw new Overloaded('large bodies');
      reserved.set(exchange, need);
      inUse += need;
      exchange.rawBody = await readBody(request, response, limit);
    },
    release(exchange) {
      inUse -= reserved.get(exchange) ?? 0;
      reserved.delete(exchange);
      discardRest(exchange.request);
    },
  };
}
