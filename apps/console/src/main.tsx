// Must come first: later modules need the policies in place.
import './app/policies.ts';
import { setNonce } from 'get-nonce';
import { findVisitor, requiredFirst, signInAddress, signInPaths } from './app/visitor.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

/** Loads the console, or of it the sign-in alone for one who must go there first. */
async function start(): Promise<void> {
  const { pathname, search } = location;
  const asked = signInPaths.find((path) => path === pathname);
  const visitor = await findVisitor();
  // Without an answer the console says what failed.
  const first = asked ?? requiredFirst(visitor);
  if (first === null) {
    const { startConsole } = await import('./app/console.tsx');
    startConsole(nonce, visitor.account ?? null);
    return;
  }
  if (asked === undefined) history.replaceState(null, '', signInAddress(first, pathname + search));
  const { startSignIn } = await import('./areas/signIn/start.tsx');
  startSignIn(nonce, first, visitor);
}

void start();
