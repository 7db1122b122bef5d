import { z } from '../../shared/zod.ts';
import type { AreaPage } from '../../shared/area.ts';

/** Where to go once signed in: a path of the console, never another site. */
export const returnSearch = z.object({
  return: z
    .string()
    .regex(/^\/(?![/\\])/)
    .optional()
    .catch(undefined),
});

/** Pages outside of the frame. */
export const signInPages: readonly AreaPage[] = [
  { path: '/login', search: returnSearch, load: () => import('./LoginPage.tsx') },
  {
    path: '/change-password',
    search: returnSearch,
    load: () => import('./ChangePasswordPage.tsx'),
  },
];
