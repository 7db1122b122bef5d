import { expect } from 'chai';
import { z } from 'zod';
import { viewBy } from '../../api/http/handling.ts';

const answer = z.strictObject({ id: z.string(), at: z.string(), code: z.string().nullable() });

describe('An answer by its schema', () => {
  it('has the fields of the schema, in its order, and nothing else a record has', () => {
    const record = { secret: 'x', code: null, at: 'now', id: '1' };
    expect(JSON.stringify(viewBy(answer)(record, {}))).to.equal(
      '{"id":"1","at":"now","code":null}',
    );
  });

  it('has a given field instead of the record’s', () => {
    const record = { at: new Date(0), code: 'A' };
    const view = viewBy(answer)(record, { id: '1', at: record.at.toISOString() });
    expect(view).to.deep.equal({ id: '1', at: '1970-01-01T00:00:00.000Z', code: 'A' });
  });
});
