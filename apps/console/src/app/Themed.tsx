import { MantineProvider } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useTexts } from '../shared/texts.ts';
import { appTexts } from './appTexts.ts';
import { cssVariables, theme } from './theme.ts';

/** Theme, and the component library's own texts in the current language. */
export function Themed({
  nonce,
  children,
}: {
  readonly nonce: string;
  readonly children: ReactNode;
}) {
  const t = useTexts(appTexts);
  const [close, showPassword] = [t('close'), t('showPassword')];
  const spoken = useMemo(
    () => ({
      ...theme,
      components: {
        Modal: { defaultProps: { closeButtonProps: { 'aria-label': close } } },
        // An element `header` in a dialog counts as a second banner of the page.
        ModalHeader: { defaultProps: { role: 'presentation' } },
        Notification: { defaultProps: { closeButtonProps: { 'aria-label': close } } },
        PasswordInput: {
          defaultProps: {
            visibilityToggleButtonProps: { 'aria-label': showPassword, tabIndex: 0 },
          },
        },
      },
    }),
    [close, showPassword],
  );
  return (
    <MantineProvider
      theme={spoken}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
