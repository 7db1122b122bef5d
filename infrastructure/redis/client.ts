import { Redis } from 'ioredis';
import { redisOptions } from './connection.ts';

/** A Redis client that connects by itself and fails its commands fast while it cannot. */
export interface RedisClient {
  readonly client: Redis;
  stop(): void;
}

/** A Redis that is silent must hold nobody up: what it is asked can be decided without it, ms. */
const commandTimeoutMs = 250;

export function createRedisClient(url: string): RedisClient {
  let stopping = false;
  const client = new Redis({
    ...redisOptions(url, () => stopping),
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
  });
  client.on('error', () => undefined);
  void client.connect().catch(() => undefined);
  return {
    client,
    stop: () => {
      stopping = true;
      client.disconnect();
    },
  };
}
