import { z } from 'zod';
import {
  isTenantOfCitizen,
  type PlatformPermission,
  platformPermissions,
} from '../../application/ports/platformTokens.ts';
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

/** `issuer=tenant+tenant`; the last equals sign ends the issuer, which may be an address. */
const tenants = z
  .string()
  .regex(/^\S+=[^=\s]+$/, 'must be issuer=tenant+tenant')
  .transform((text) => {
    const equals = text.lastIndexOf('=');
    return [text.slice(0, equals), new Set(text.slice(equals + 1).split('+'))] as const;
  })
  .refine(([, names]) => !Array.from(names).some(isTenantOfCitizen), {
    message: 'tenants that begin with citizen: are of citizens',
  });

/** Settings of the platform API: documents and directory. */
export const platformSettings = {
  SVC_PLATFORM_ROLES: setting(
    list
      .pipe(z.array(role))
      .transform((roles): ReadonlyMap<string, ReadonlySet<PlatformPermission>> => new Map(roles))
      .default(new Map()),
    'Permissions of callers of the platform API (documents, directory), by the `RoleID` of their access token or by their operator role: `role=permission+permission`, comma-separated. Permissions: `documents.read`, `documents.manage`, `documents.sign`, `directory.read`.',
    'administrators only (`IsAdmin`, `SUPER_ADMIN`): they may do everything',
  ),
  SVC_AI_TOKEN_TENANTS: setting(
    list
      .pipe(z.array(tenants))
      .transform((entries): ReadonlyMap<string, ReadonlySet<string>> => new Map(entries))
      .default(new Map()),
    'Tenants of the platform API that an issuer of SVC_AI_TOKEN_KEYS may name in `TenantID`: `issuer=tenant+tenant`, comma-separated. `*` means every tenant except those of citizens, `default` the tenant of tokens without `TenantID`.',
    '`default` for a single issuer, none for several',
  ),
} as const;
