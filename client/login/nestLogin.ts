import { loggedInUser, type RequestWithSession } from './frameworkSession.ts';

/** The part of an execution context of NestJS that the guard reads. */
export interface NestContext {
  /** Arguments of an HTTP handler. */
  switchToHttp(): {
    /** The request of the platform below, Express or Fastify. */
    getRequest(): unknown;
  };
}

/** A guard of NestJS. */
export interface NestGuard {
  /** True for a visitor who is logged in. */
  canActivate(context: NestContext): boolean;
}

/**
 * Guard of NestJS: only for citizens who are logged in. The login itself is a middleware:
 *
 * `consumer.apply(expressLogin({ client, interactions })).forRoutes('login/*action', 'auth/eid/callback')`
 *
 * @param refusal error for others, for example `() => new UnauthorizedException()`; default: NestJS answers them with 403
 */
export function nestGuard(refusal?: () => Error): NestGuard {
  return {
    canActivate: (context) => {
      const request = context.switchToHttp().getRequest() as RequestWithSession;
      if (loggedInUser(request) !== null) return true;
      if (refusal !== undefined) throw refusal();
      return false;
    },
  };
}
