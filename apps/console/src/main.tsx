// Must come first: later modules need the policies in place.
import './app/policies.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@fontsource-variable/inter/wght.css';
import './app/app.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { areas } from './app/areas.ts';
import { router } from './app/router.tsx';
import { queries } from './app/session.ts';
import { Themed } from './app/Themed.tsx';
import { AreasContext } from './shared/area.ts';
import { startLanguages } from './shared/texts.ts';

startLanguages();

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root.');
createRoot(root).render(
  <StrictMode>
    <Themed nonce={nonce}>
      <QueryClientProvider client={queries}>
        <AreasContext value={areas}>
          <RouterProvider router={router} />
        </AreasContext>
      </QueryClientProvider>
    </Themed>
  </StrictMode>,
);
