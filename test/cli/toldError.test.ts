import { expect } from 'chai';
import { toldError } from '../../cli/toldError.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

describe('An error of a command', () => {
  it('names every fault of a refusal', () => {
    const errors = [{ pointer: '/redirectUris/0', detail: 'An https address.' }];
    const refusal = new Refusal('INVALID_REQUEST', { detail: 'See errors.', errors });
    expect(toldError(refusal)).to.equal(
      'INVALID_REQUEST: See errors.\n  /redirectUris/0: An https address.',
    );
  });

  it('is its message otherwise', () => {
    expect(toldError(new Error('No such file.'))).to.equal('No such file.');
    expect(toldError('gone')).to.equal('gone');
  });
});
