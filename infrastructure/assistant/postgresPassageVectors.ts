import type pg from 'pg';
import type { PassageVectors } from '../../application/assistant/ports/passageVectors.ts';
import { knowledgeTopic } from '../../domain/shared/streams.ts';
import { notificationChannel } from '../../application/ports/notifications.ts';
import { failingFast, inTransaction } from '../postgres/pool.ts';

/** {@link PassageVectors} in the table `knowledge_vector`: numbers of 32 bits, little-endian. */
export function createPostgresPassageVectors(pool: pg.Pool): PassageVectors {
  return failingFast({
    async load(model, hashes) {
      const { rows } = await pool.query<{ passage_hash: string; vector: Buffer }>(
        `select passage_hash, vector from knowledge_vector
         where model = $1 and passage_hash = any($2)`,
        [model, hashes],
      );
      return new Map(rows.map(({ passage_hash, vector }) => [passage_hash, toVector(vector)]));
    },
    async save(model, vectors) {
      await inTransaction(pool, async (client) => {
        await client.query(
          `insert into knowledge_vector (model, passage_hash, vector)
           select $1, hash, vector from unnest($2::text[], $3::bytea[]) as given (hash, vector)
           on conflict do nothing`,
          [model, [...vectors.keys()], Array.from(vectors.values(), toBytes)],
        );
        // Delivered with the commit, in this and in every other process.
        await client.query('select pg_notify($1, $2)', [notificationChannel, knowledgeTopic]);
      });
    },
    async present(model, hashes) {
      const { rows } = await pool.query<{ passage_hash: string }>(
        `select passage_hash from knowledge_vector where model = $1 and passage_hash = any($2)`,
        [model, hashes],
      );
      return new Set(rows.map(({ passage_hash }) => passage_hash));
    },
    async keepOnly(model, hashes) {
      await pool.query(
        'delete from knowledge_vector where model <> $1 or passage_hash <> all($2)',
        [model, hashes],
      );
    },
  } satisfies PassageVectors);
}

function toBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes;
}

function toVector(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.length / 4);
  for (let index = 0; index < vector.length; index += 1) {
    vector[index] = bytes.readFloatLE(index * 4);
  }
  return vector;
}
