import { Unavailable } from '../../application/ports/faults.ts';
import type { PushGateway } from '../../application/reactors/ports/push.ts';
import { discard } from '../boundedBody.ts';

export interface HttpPushOptions {
  /** Address of the gateway. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token: string;
  /** Timeout of the gateway, milliseconds; default 5000. */
  readonly timeoutMs?: number;
  /** Called after every request. @param status the HTTP status, or `error` without a response */
  readonly onCalled?: (status: string, seconds: number) => void;
}

/** Permanent failures: the phone is gone, or the message is not accepted. */
const final = new Set([400, 404, 410, 422]);

/**
 * Posts `{documentNumber, platform, pushToken, sessionId}` as JSON to a gateway for Firebase and APNs, with `noticeId` in
 * place of `sessionId` for a notice. An unknown phone
 * is not retried; every other failure is `Unavailable('push')`.
 */
export function createHttpPushGateway({
  url,
  token,
  timeoutMs = 5000,
  onCalled = () => undefined,
}: HttpPushOptions): PushGateway {
  return {
    async notify(message) {
      const started = performance.now();
      const called = (status: string) => onCalled(status, (performance.now() - started) / 1000);
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((error: unknown) => {
        called('error');
        throw new Unavailable('push', error);
      });
      called(String(response.status));
      await discard(response);
      if (response.ok || final.has(response.status)) return;
      throw new Unavailable('push', new Error(`The gateway answered ${response.status}.`));
    },
  };
}
