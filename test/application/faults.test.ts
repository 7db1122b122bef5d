import { expect } from 'chai';
import { isLockRefused, Unavailable } from '../../application/ports/faults.ts';

describe('A lock of the database that was not to be had in time', () => {
  const refused = Object.assign(new Error('canceling statement due to lock timeout'), {
    code: '55P03',
  });

  it('is known by its SQLSTATE, as the error or as its cause', () => {
    expect(isLockRefused(refused)).to.equal(true);
    expect(isLockRefused(new Unavailable('database', refused))).to.equal(true);
  });

  it('is no other error, and nothing that is no error', () => {
    const ended = Object.assign(new Error('terminating connection'), { code: '57P01' });
    for (const other of [ended, new Unavailable('database', ended), new Error(), null, undefined]) {
      expect(isLockRefused(other), String(other)).to.equal(false);
    }
  });
});
