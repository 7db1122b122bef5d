import { Redis } from 'ioredis';
import { redisOptions } from './connection.ts';

/** A Redis client that reconnects by itself and fails commands fast meanwhile. */
export interface RedisClient {
  readonly client: Redis;
  stop(): void;
}

/** @param commandTimeoutMs timeout of a command: callers can decide without Redis */
export function createRedisClient(url: string, commandTimeoutMs = 250): RedisClient {
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
