import { expect } from 'chai';
import { meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { acspV2Payload, verificationCode } from '../../domain/shared/digest.ts';
import { organizationEtsi, parsePersonIdentifier, personEtsi } from '../../domain/shared/etsi.ts';

describe('The verification code', () => {
  for (const [type, form] of [
    ['alphaNumeric4', /^\d{4}$/],
    ['alphaNumeric5', /^\d{5}$/],
  ] as const) {
    it(`keeps leading zeros as ${type}`, () => {
      const codes = Array.from({ length: 3000 }, (_, index) =>
        verificationCode(Buffer.from([index >> 8, index]), type),
      );
      expect(codes.every((code) => form.test(code))).to.equal(true);
      expect(codes.some((code) => code.startsWith('0'))).to.equal(true);
    });
  }
});

describe('The G1 authentication payload', () => {
  it('prefixes each part with its length, big-endian', () => {
    const payload = acspV2Payload(Buffer.from([1, 2]), Buffer.from([3]));
    expect(payload.toString('hex')).to.equal(
      '00000007' + '414353505f5632' + '00000002' + '0102' + '00000001' + '03',
    );
  });
});

describe('A person identifier', () => {
  it('is a civil id, with or without its prefix', () => {
    const civilId = { type: 'civilId', civilId: '110000000001' };
    expect(parsePersonIdentifier('PNOMN-110000000001')).to.deep.equal(civilId);
    expect(parsePersonIdentifier('110000000001')).to.deep.equal(civilId);
    expect(personEtsi('110000000001')).to.equal('PNOMN-110000000001');
  });

  it('is a registration number in any case, read as lower case', () => {
    const expected = { type: 'registrationNumber', registrationNumber: 'уө90010112' };
    for (const text of ['PNOMN-УӨ90010112', 'pnomn-уө90010112', 'Уө90010112']) {
      expect(parsePersonIdentifier(text)).to.deep.equal(expected);
    }
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      'PNOMN-',
      'NTRMN-110000000001',
      '11000000000',
      'AB90010112',
      'аа9001011',
    ]) {
      expect(() => parsePersonIdentifier(text), text).to.throw('INVALID_REQUEST');
    }
    expect(organizationEtsi('1234567')).to.equal('NTRMN-1234567');
  });
});

describe('A certificate level', () => {
  it('is a minimum', () => {
    expect(meetsLevel('QSCD', 'QUALIFIED')).to.equal(true);
    expect(meetsLevel('QUALIFIED', 'QUALIFIED')).to.equal(true);
    expect(meetsLevel('ADVANCED', 'QUALIFIED')).to.equal(false);
  });
});
