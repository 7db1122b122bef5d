import { z } from 'zod';
import {
  type PlatformPermission,
  platformPermissions,
} from '../application/ports/platformTokens.ts';
import { list, setting } from './settings.ts';

const isPermission = (name: string): name is PlatformPermission =>
  (platformPermissions as readonly string[]).includes(name);

/** `role=permission+permission`. */
const role = z
  .string()
  .regex(/^[^=\s]+=[^=\s]+$/, 'must be role=permission+permission')
  .transform((text) => {
    const [name = '', permissions = ''] = text.split('=');
    return [name, permissions.split('+')] as const;
  })
  .refine(([, names]) => names.every(isPermission), {
    message: `permissions are ${platformPermissions.join(', ')}`,
  })
  .transform(([name, names]) => [name, new Set(names.filter(isPermission))] as const);

/** Settings of the platform API: documents and directory. */
export const platformSettings = {
  SVC_PLATFORM_ROLES: setting(
    list
      .pipe(z.array(role))
      .transform((roles): ReadonlyMap<string, ReadonlySet<PlatformPermission>> => new Map(roles))
      .default(new Map()),
    'What callers of the platform API (documents, directory) may do by the `RoleID` of their access token, or by their role as operators: `role=permission+permission`, comma-separated. Permissions: `documents.read`, `documents.manage`, `documents.sign`, `directory.read`.',
    'administrators only (`IsAdmin`, `SUPER_ADMIN`): they may do everything',
  ),
} as const;
