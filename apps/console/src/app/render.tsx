import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startLanguages } from '../shared/texts.ts';
import { Themed } from './Themed.tsx';

/** Shows a part of the console on the page. @param nonce of the page's policy, for styles */
export function render(nonce: string, content: ReactNode): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no element #root.');
  startLanguages();
  createRoot(root).render(
    <StrictMode>
      <Themed nonce={nonce}>{content}</Themed>
    </StrictMode>,
  );
}
