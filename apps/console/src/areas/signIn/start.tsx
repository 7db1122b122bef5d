import './styles.ts';
import { lazy, Suspense } from 'react';
import { render } from '../../app/render.tsx';
import type { SignInPath, Visitor } from '../../app/visitor.ts';
import LoginPage from './LoginPage.tsx';

const ChangePasswordPage = lazy(() => import('./ChangePasswordPage.tsx'));
const RestoredPage = lazy(() => import('./RestoredPage.tsx'));

/** Shows a page of the sign-in, which does without the console's router. */
export function startSignIn(nonce: string, path: SignInPath, visitor: Visitor): void {
  const pages = {
    '/login': <LoginPage visitor={visitor} />,
    '/change-password': <ChangePasswordPage />,
    '/restored': <RestoredPage account={visitor.account ?? null} />,
  };
  render(nonce, <Suspense>{pages[path]}</Suspense>);
}
