import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { BulkWriter, Cell } from '../../application/ports/bulkWriter.ts';

/** {@link BulkWriter} by COPY, each on a connection of its own. */
export function createCopyWriter({ pool }: { readonly pool: pg.Pool }): BulkWriter {
  return {
    async open(table, columns) {
      const client = await pool.connect();
      const names = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
      const stream = client.query(
        copyFrom(`copy ${pg.escapeIdentifier(table)} (${names}) from stdin`),
      );
      let failure: Error | undefined;
      stream.on('error', (error) => {
        failure = error;
      });
      return {
        async write(rows) {
          if (failure !== undefined) throw failure;
          const hasRoom = stream.write(rows.map(copyLine).join(''));
          if (!hasRoom) await once(stream, 'drain');
        },
        async end() {
          try {
            stream.end();
            await finished(stream);
          } catch (error) {
            client.release(true);
            throw error;
          }
          client.release();
        },
        abort() {
          stream.destroy();
          client.release(true);
          return Promise.resolve();
        },
      };
    },
  };
}

const special = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A row in COPY's text format. */
export function copyLine(cells: readonly Cell[]): string {
  let line = '';
  for (const [index, cell] of cells.entries()) {
    if (index > 0) line += '\t';
    line += cell === null ? '\\N' : cell.replace(special, (found) => escapes[found] ?? found);
  }
  return `${line}\n`;
}
