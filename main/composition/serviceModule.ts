import type { Mount } from '../../api/http/mount.ts';
import type { Route } from '../../api/http/route.ts';
import type { Reactor } from '../../application/reactors/reactor.ts';

/** One feature of the platform; the composition root serves, runs, starts and stops it. */
export interface ServiceModule {
  /** Routes served in the role `api`. */
  readonly routes?: readonly Route[];
  /** Mounted HTTP applications, in the role `api`. */
  readonly mounts?: readonly Mount[];
  /** Started in the role `worker`, after `start`. */
  readonly reactors?: readonly Reactor[];
  /** For `/readyz`, by dependency name. */
  readonly checks?: Readonly<Record<string, () => Promise<unknown>>>;
  /** External systems, for `/readyz`: during an outage of one the service is degraded. */
  readonly partners?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Called in every role, after the log, the notifications and the certificate authority have started. */
  start?(): Promise<void>;
  /** Called after the server and the reactors have stopped, before the log does. */
  stop?(): Promise<void>;
}
