import { expect } from 'chai';
import { formatError } from '../../cli/formatError.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

describe('An error of a command', () => {
  it('names every fault of a refusal', () => {
    const errors = [{ pointer: '/redirectUris/0', detail: 'An https address.' }];
    const refusal = new Refusal('INVALID_REQUEST', { detail: 'See errors.', errors });
    expect(formatError(refusal)).to.equal(
      'INVALID_REQUEST: See errors.\n  /redirectUris/0: An https address.',
    );
  });

  it('tells what caused it', () => {
    const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    const error = new Error('No database.', { cause: new Error('No pool.', { cause: refused }) });
    expect(formatError(error)).to.equal(
      'No database.\n  because: No pool.\n  because: ECONNREFUSED',
    );
  });

  it('is its message otherwise', () => {
    expect(formatError(new Error('No such file.'))).to.equal('No such file.');
    expect(formatError('gone')).to.equal('gone');
  });
});
