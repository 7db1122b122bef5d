/**
 * Login with the citizen's phone for web frameworks. Start with the adapter of yours, or with {@link createLogin}.
 *
 * @packageDocumentation
 */
export {
  type ExpressHandler,
  expressLogin,
  type ExpressRequest,
  type ExpressResponse,
} from './expressLogin.ts';
export {
  fastifyLogin,
  type FastifyLoginApp,
  type FastifyLoginReply,
  type FastifyLoginRequest,
} from './fastifyLogin.ts';
export { loggedInUser, type RequestWithSession } from './frameworkSession.ts';
export {
  createLogin,
  type Login,
  type LoginOptions,
  type LoginState,
  type LoginStatus,
  type LoginUser,
  type LoginWay,
  type PendingLogin,
  type StartedLogin,
  type VisitorSession,
} from './login.ts';
export { type NestContext, type NestGuard, nestGuard } from './nestLogin.ts';
export { type NextHandlers, nextLogin, type NextLoginOptions } from './nextLogin.ts';
export {
  type PassportActions,
  passportLogin,
  type PassportLoginOptions,
  type PassportRequest,
  type PassportStrategy,
} from './passportLogin.ts';
