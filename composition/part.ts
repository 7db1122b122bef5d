import type { Mount } from '../api/http/mount.ts';
import type { Route } from '../api/http/route.ts';
import type { Reactor } from '../application/reactors/reactor.ts';

/** What one area of the platform brings along: the composition root serves, runs, starts and stops it. */
export interface ServicePart {
  /** Rows served in the role `api`. */
  readonly routes?: readonly Route[];
  /** Programs of their own, in the role `api`. */
  readonly mounts?: readonly Mount[];
  /** Started in the role `worker`, after `start`. */
  readonly reactors?: readonly Reactor[];
  /** For `/readyz`, by dependency name. */
  readonly checks?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Parties outside that a part of the service needs, for `/readyz`: while one is away the service is degraded. */
  readonly partners?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Called in every role, after the log, the wake and the certificate authority have started. */
  start?(): Promise<void>;
  /** Called after the server and the reactors have stopped, before the log does. */
  stop?(): Promise<void>;
}
