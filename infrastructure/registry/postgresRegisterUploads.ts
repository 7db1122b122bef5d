import type pg from 'pg';
import type {
  RegisterUploads,
  UploadFormat,
} from '../../application/approval/ports/registerUploads.ts';
import { decryptText, deriveMasterKeys, encryptText } from '../codec/encryption.ts';
import { orUnavailable } from '../postgres/pool.ts';

/** {@link RegisterUploads} in the table `register_upload`. */
export function createPostgresRegisterUploads(
  pool: pg.Pool,
  derivationKey: Uint8Array,
): RegisterUploads {
  const key = deriveMasterKeys(derivationKey).registerUploads;
  const contextOf = (register: string, digest: string) =>
    Buffer.from(`register upload ${register} ${digest}`);
  const query = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
    orUnavailable('database', () => pool.query<Row>(text, [...values]));

  return {
    async save({ register, digest, format, content }, now) {
      const sealed = encryptText(key, contextOf(register, digest), content.toString('base64'));
      await query(
        `insert into register_upload (register, digest, format, sealed, uploaded_at)
         values ($1, $2, $3, $4, $5)
         on conflict (register, digest) do update set
           format = excluded.format, sealed = excluded.sealed, uploaded_at = excluded.uploaded_at`,
        [register, digest, format, sealed, now],
      );
    },
    async find(register, digest) {
      const { rows } = await query<{ format: UploadFormat; sealed: string | null }>(
        'select format, sealed from register_upload where register = $1 and digest = $2',
        [register, digest],
      );
      const [row] = rows;
      if (row === undefined) return null;
      const { format, sealed } = row;
      const content =
        sealed === null
          ? null
          : Buffer.from(decryptText(key, contextOf(register, digest), sealed), 'base64');
      return { register, digest, format, content };
    },
    async imported(register, digest) {
      await query('update register_upload set sealed = null where register = $1 and digest = $2', [
        register,
        digest,
      ]);
    },
    async removeBefore(moment) {
      await query('delete from register_upload where uploaded_at < $1', [moment]);
    },
  };
}
