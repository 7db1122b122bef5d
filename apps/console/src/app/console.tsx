import './styles.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type Account, accountQuery } from '../shared/account.ts';
import { AreasContext } from '../shared/area.ts';
import { areas } from './areas.ts';
import { render } from './render.tsx';
import { router } from './router.tsx';
import { queries } from './session.ts';

/** Shows the console behind the sign-in. @param account of the session; null: not known yet */
export function startConsole(nonce: string, account: Account | null): void {
  if (account !== null) queries.setQueryData(accountQuery.queryKey, account);
  render(
    nonce,
    <QueryClientProvider client={queries}>
      <AreasContext value={areas}>
        <RouterProvider router={router} />
      </AreasContext>
    </QueryClientProvider>,
  );
}
