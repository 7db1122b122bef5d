import type { Provider } from 'oidc-provider';
import { wordsOf } from './parameters.ts';

/** Requests in which the library looks at the scope before anybody is asked. */
const firstRequests: ReadonlySet<string> = new Set([
  'authorization',
  'pushed_authorization_request',
]);

type Context = Provider['OIDCContext']['prototype'];

/**
 * Keeps `offline_access` in requests without `prompt=consent`: the page asks for that scope like for every other one,
 * which is the other condition that OpenID Connect Core §11 allows. The library would drop it before the page is there.
 * With `prompt=none` no page can ask, and the library's rule stays.
 */
export function keepOfflineAccess(provider: Provider): void {
  const { prototype } = provider.OIDCContext;
  const prompts = Object.getOwnPropertyDescriptor(prototype, 'prompts')?.get;
  if (prompts === undefined) throw new Error('The library has no prompts.');
  Object.defineProperty(prototype, 'prompts', {
    configurable: true,
    get(this: Context) {
      const asked = prompts.call(this) as Set<string>;
      if (!asked.has('none') && isReadingScope(this)) {
        // Iterating shows what was asked; the library asks for `consent` by name where it reads the scope.
        asked.has = (name) => name === 'consent' || Set.prototype.has.call(asked, name);
      }
      return asked;
    },
  });
}

/** True until the redirect URI was checked, which follows the scope. */
function isReadingScope({ route, redirectUriCheckPerformed, params }: Context): boolean {
  return (
    firstRequests.has(route) &&
    redirectUriCheckPerformed !== true &&
    wordsOf(params?.['scope']).includes('offline_access')
  );
}
