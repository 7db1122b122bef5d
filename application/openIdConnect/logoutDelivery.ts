import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { JobPayload, Jobs } from '../reactors/ports/jobs.ts';
import type { OidcAccessLog } from './aggregates.ts';
import type { EndedLogin } from './ports/oidcEngine.ts';
import type { UndeliveredLogouts } from './ports/undeliveredLogouts.ts';

export interface LogoutDeliveryDependencies {
  readonly jobs: Pick<Jobs, 'enqueue' | 'handle'>;
  /** Sends one logout token. @throws Error when the client did not take it; its message is shown to operators */
  readonly deliver: (login: EndedLogin) => Promise<void>;
  readonly accessLog: OidcAccessLog;
  readonly undelivered: UndeliveredLogouts;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'uuid'>;
  /** Called with each attempt that failed. */
  readonly onFailed: (clientId: string, cause: unknown) => void;
}

const JOB = 'oidcLogout';

/** Time after which a delivery is given up, ms. */
const GIVEN_UP_AFTER_MS = 86_400_000;
/** Delay after the first failure, doubling up to the longest, ms. */
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 3_600_000;
/** Deliveries at once in one process: clients that hang leave the other places to pushes. */
const AT_ONCE = 2;
/** Delay of a delivery for which there was no place, ms. */
const NO_PLACE_MS = 1_000;

interface Delivery extends EndedLogin {
  readonly id: string;
  /** Number of failures. */
  readonly failures: number;
  /** Number of times it waited for a place. */
  readonly waits: number;
  /** Epoch ms. */
  readonly since: number;
}

function contextOf(deliveryId: string): CommandContext {
  return {
    actor: { kind: 'system', id: JOB },
    correlationId: deliveryId,
    causationId: deliveryId,
    requestId: null,
    ip: null,
  };
}

/**
 * Delivers logout tokens (OpenID Connect Back-Channel Logout §2.5) by jobs, so that the citizen does not wait for the
 * client: tried again with growing delays, shown to operators meanwhile, given up after a day with an event.
 */
export function createLogoutDelivery(dependencies: LogoutDeliveryDependencies) {
  const { jobs, deliver, accessLog, undelivered, clock, randomness, onFailed } = dependencies;
  let running = 0;

  function enqueue(delivery: Delivery, delayMs: number): Promise<void> {
    const { id, failures, waits } = delivery;
    return jobs.enqueue({
      name: JOB,
      id: `${JOB}/${id}/${failures}/${waits}`,
      payload: { ...delivery },
      ...(delayMs > 0 && { runAt: new Date(clock.now().getTime() + delayMs) }),
    });
  }

  async function failed(delivery: Delivery, cause: unknown): Promise<void> {
    const { id, clientId, failures, since } = delivery;
    onFailed(clientId, cause);
    const now = clock.now();
    const isGivenUp = now.getTime() - since >= GIVEN_UP_AFTER_MS;
    if (!isGivenUp) {
      const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      await enqueue({ ...delivery, failures: failures + 1 }, delayMs);
    }
    await undelivered.put({
      id,
      clientId,
      since: new Date(since),
      attempts: failures + 1,
      reason: cause instanceof Error ? cause.message : 'Error',
      triedAt: now,
      isGivenUp,
    });
    if (!isGivenUp) return;
    const data = {
      clientId,
      endedAt: new Date(since).toISOString(),
      givenUpAt: now.toISOString(),
    };
    await accessLog({ type: 'LogoutUndelivered', data }, contextOf(id));
  }

  jobs.handle(JOB, async (payload) => {
    const delivery = deliveryIn(payload);
    if (running >= AT_ONCE) {
      await enqueue({ ...delivery, waits: delivery.waits + 1 }, NO_PLACE_MS);
      return;
    }
    running += 1;
    try {
      await deliver(delivery);
    } catch (error) {
      await failed(delivery, error);
      return;
    } finally {
      running -= 1;
    }
    if (delivery.failures > 0) await undelivered.remove(delivery.id);
  });

  /** Enqueues the delivery of one logout token. @throws Unavailable */
  return (login: EndedLogin): Promise<void> =>
    enqueue(
      { ...login, id: randomness.uuid(), failures: 0, waits: 0, since: clock.now().getTime() },
      0,
    );
}

function deliveryIn(payload: JobPayload): Delivery {
  const text = (name: keyof Delivery) => String(payload[name]);
  return {
    id: text('id'),
    clientId: text('clientId'),
    subject: text('subject'),
    sid: text('sid'),
    failures: Number(payload['failures']),
    waits: Number(payload['waits']),
    since: Number(payload['since']),
  };
}
