import type { OperatorGuards } from '../api/admin/guard.ts';
import { oidcClientRoutes } from '../api/admin/oidcClientRoutes.ts';
import type { Submit } from '../application/approval/submitCommand.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';
import type { ServicePart } from './part.ts';

/** Clients of the OpenID Connect provider, as operators see and change them. */
export function composeOidcClients(
  { foundation: { eventStore } }: Core,
  {
    administering,
    pages,
    guards,
    submit,
  }: Pick<OpenIdConnect, 'administering' | 'pages'> & {
    readonly guards: OperatorGuards;
    readonly submit: Submit;
  },
): ServicePart {
  return { routes: oidcClientRoutes(guards, { ...administering, ...pages, eventStore, submit }) };
}
