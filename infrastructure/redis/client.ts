import { Redis } from 'ioredis';
import { redisOptions } from './connection.ts';

/** A Redis client that connects by itself and fails its commands fast while it cannot. */
export interface RedisClient {
  /** For libraries that take an ioredis client. */
  readonly client: unknown;
  stop(): void;
}

export function createRedisClient(url: string): RedisClient {
  let stopping = false;
  const client = new Redis({
    ...redisOptions(url, () => stopping),
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
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
