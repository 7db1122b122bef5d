import { createDelivery, type DeliveryDependencies } from '../delivery.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Jobs } from '../reactors/ports/jobs.ts';
import { asReactor } from '../reactors/reactor.ts';
import type { OidcAccessLog } from './aggregates.ts';
import type { EndedLogin } from './ports/oidcEngine.ts';

export interface LogoutDeliveryDependencies extends DeliveryDependencies {
  readonly jobs: Pick<Jobs, 'enqueue' | 'handle'>;
  /** Sends one logout token. @throws Error when the client did not take it; its message is shown to operators */
  readonly deliver: (login: EndedLogin) => Promise<void>;
  readonly accessLog: OidcAccessLog;
  readonly randomness: Pick<Randomness, 'uuid'>;
  /** Called with each attempt that failed. */
  readonly onFailed: (clientId: string, cause: unknown) => void;
}

const JOB = 'oidcLogout';

/**
 * Delivers logout tokens (OpenID Connect Back-Channel Logout §2.5) by jobs, so that the citizen does not wait for the
 * client.
 */
export function createLogoutDelivery(dependencies: LogoutDeliveryDependencies) {
  const { jobs, deliver, accessLog, randomness, onFailed } = dependencies;
  const { attempt, begin } = createDelivery<EndedLogin & { readonly id: string }>({
    ...dependencies,
    kind: 'LOGOUT',
    job: JOB,
    idOf: ({ id }) => id,
    clientIdOf: ({ clientId }) => clientId,
    deliver,
    onFailed: ({ clientId }, cause) => onFailed(clientId, cause),
    giveUp: ({ id, clientId }, { since: endedAt, givenUpAt }) => {
      const data = { clientId, endedAt, givenUpAt };
      return accessLog({ type: 'LogoutUndelivered', data }, asReactor(JOB, id, id));
    },
  });
  jobs.handle(JOB, attempt);

  /** Enqueues the delivery of one logout token. @throws Unavailable */
  return (login: EndedLogin): Promise<void> => begin({ ...login, id: randomness.uuid() });
}
