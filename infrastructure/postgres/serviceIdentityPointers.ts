import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import type {
  ServiceIdentityPointer,
  ServiceIdentityPointers,
} from '../../application/certificate/ports/serviceIdentityPointers.ts';

/** {@link ServiceIdentityPointers} in the table `service_identity`. */
export function createPostgresServiceIdentityPointers(pool: pg.Pool): ServiceIdentityPointers {
  async function query(text: string, values: readonly unknown[]) {
    try {
      const { rows } = await pool.query<ServiceIdentityPointer>(text, [...values]);
      return rows[0] ?? null;
    } catch (error) {
      throw new Unavailable('database', error);
    }
  }

  const find: ServiceIdentityPointers['find'] = (purpose) =>
    query('select serial, replaces from service_identity where purpose = $1', [purpose]);

  return {
    find,
    async move(purpose, from, serial) {
      await query(
        from === null
          ? `insert into service_identity (purpose, serial, replaces) values ($1, $2, $3)
             on conflict (purpose) do nothing`
          : `update service_identity set serial = $2, replaces = $3
             where purpose = $1 and serial = $3`,
        [purpose, serial, from],
      );
      const pointer = await find(purpose);
      if (pointer === null) throw new Unavailable('database');
      return pointer;
    },
  };
}
