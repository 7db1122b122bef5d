import type { RowOf } from '../../shared/api/useRead.ts';

export type Admin = RowOf<'/v3/admin/admins'>;
