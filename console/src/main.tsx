// First: what comes after must find the policies in place.
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
import { router } from './app/router.tsx';
import { queries } from './app/session.ts';
import { Themed } from './app/Themed.tsx';
import { startLanguages } from './shared/texts.ts';

startLanguages();

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

const place = document.getElementById('root');
if (place === null) throw new Error('The page has no root.');
createRoot(place).render(
  <StrictMode>
    <Themed nonce={nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Themed>
  </StrictMode>,
);
