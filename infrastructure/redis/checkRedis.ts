import { Redis } from 'ioredis';
import { redisOptions } from './connection.ts';

/** Connects once, with the password, and asks for an answer. @throws Error the reason */
export async function checkRedis(url: string): Promise<void> {
  const client = new Redis({
    ...redisOptions(url, () => true),
    lazyConnect: true,
    maxRetriesPerRequest: 0,
  });
  let reason: Error | undefined;
  client.on('error', (error: Error) => (reason ??= error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    // "Connection is closed." where the reason was reported before.
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}
