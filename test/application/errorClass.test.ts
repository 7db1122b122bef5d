import { expect } from 'chai';
import { errorClass } from '../../application/ports/faults.ts';

describe('The class of an error', () => {
  it('names the code and the constraint, never the message, which may hold personal data', () => {
    const refused = Object.assign(new Error('Failing row contains (Дорж).'), {
      name: 'error',
      code: '23514',
      constraint: 'broken',
    });
    expect(errorClass(refused)).to.equal('error 23514 broken');
    expect(errorClass(new TypeError('x'))).to.equal('TypeError');
    expect(errorClass('x')).to.equal('Error');
  });
});
