import { Redis } from 'ioredis';
import { redisOptions } from './connection.ts';

/**
 * Connects once, with the password, and asks for an answer, and for the memory policy where it may be asked: a server that
 * evicts what it was given loses jobs, used proofs and counted attempts.
 *
 * @throws Error the reason
 */
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
    const memory = await client.info('memory').catch(() => '');
    const policy = /^maxmemory_policy:(\S+)/mu.exec(memory)?.[1] ?? 'noeviction';
    if (policy !== 'noeviction') {
      throw new Error(`Redis evicts stored data (${policy}). Set maxmemory-policy to noeviction.`);
    }
  } catch (error) {
    // "Connection is closed." where the reason was reported before.
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}
