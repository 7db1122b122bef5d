import { expect } from 'chai';
import { Misconfigured, Unavailable, WrongLog } from '../../application/ports/faults.ts';
import { exitCodeOf, formatError } from '../../main/cli/formatError.ts';
import { ConfigurationError } from '../../infrastructure/config/config.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

describe('An error of a command', () => {
  it('names every fault of a refusal', () => {
    const errors = [{ pointer: '/redirectUris/0', detail: 'An https address.' }];
    const refusal = new Refusal('INVALID_REQUEST', { detail: 'See errors.', errors });
    expect(formatError(refusal)).to.equal(
      'INVALID_REQUEST: See errors.\n  /redirectUris/0: An https address.',
    );
  });

  it('says what to do where another build migrated the database', () => {
    const fault = Object.assign(new Error('column "name" does not exist'), { code: '42703' });
    expect(formatError(fault)).to.match(
      /^The database has another schema .*: column "name" does not exist\.\nStart the release that/u,
    );
    expect(formatError(new Error('Failed.', { cause: fault }))).to.include('another schema');
  });

  it('explains a code that stands alone', () => {
    expect(formatError(new Refusal('RELYING_PARTY_NOT_FOUND'))).to.equal(
      'RELYING_PARTY_NOT_FOUND: There is no such relying party.',
    );
  });

  it('N16: ends with 78 for what no restart mends, and with 1 for anything else', () => {
    const code = (name: string) => Object.assign(new Error(name), { code: name });
    const permanent = [
      new ConfigurationError(['SVC_PORT: too large']),
      new WrongLog('Another log.'),
      new Unavailable('keyVault', new Misconfigured('The token refused the PIN.')),
      new Error('The key vault is not available.', { cause: new Misconfigured('The PIN.') }),
      // A refused password of the database, for example: guessing on locks accounts, too.
      new Unavailable('database', code('28P01')),
      code('28000'),
    ];
    const passing = [
      new Error('Port 8080 is in use.'),
      new Unavailable('database', code('ECONNREFUSED')),
      new Unavailable('keyVault', new Error('The token does not answer.')),
      code('57P03'),
      'a text',
    ];
    expect(permanent.map(exitCodeOf)).to.deep.equal(permanent.map(() => 78));
    expect(passing.map(exitCodeOf)).to.deep.equal(passing.map(() => 1));
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
