import { readHost } from '../../domain/shared/hosts.ts';

/** Connection options of ioredis and BullMQ. */
export interface RedisConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls?: object;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Delay before reconnecting, milliseconds; null: never. */
  readonly retryStrategy: (times: number) => number | null;
}

/** Longest pause between attempts to reconnect, milliseconds. */
const longestPauseMs = 2000;

/**
 * Connection options from `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS.
 *
 * @param isOver once true, lost connections are not reopened: closing them would hang during an outage
 */
export function redisOptions(url: string, isOver: () => boolean): RedisConnectionOptions {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  return {
    host: readHost(hostname)?.name ?? hostname,
    port: port === '' ? 6379 : Number(port),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
    connectTimeout: 5000,
    retryStrategy: (times) => (isOver() ? null : Math.min(longestPauseMs, 50 * times)),
  };
}
