import { expect } from 'chai';
import {
  isSameName,
  registrationNumbers,
} from '../../domain/identityVerification/travelDocument.ts';

describe('personal number of a travel document', () => {
  for (const { given, found } of [
    { given: 'УБ85031512', found: ['уб85031512'] },
    { given: 'UB85031512', found: ['өб85031512', 'уб85031512', 'үб85031512'] },
    { given: 'TSL73052604', found: ['цл73052604'] },
    { given: 'IUYU95092141', found: ['юю95092141'] },
    { given: 'ZE184226B', found: [] },
    { given: 'QQ85031512', found: [] },
    { given: '', found: [] },
  ]) {
    it(`${given} stands for ${found.join(', ') || 'no registration number'}`, () => {
      expect(registrationNumbers(given)).to.deep.equal(found);
    });
  }
});

describe('name in a travel document', () => {
  for (const [inZone, inRegister] of [
    ['UNURBAYAR', 'Unurbayar'],
    ['ONORBAIAR', 'Unurbayar'],
    ['JIGJIDSUEREN', 'Jigjidsuren'],
    ['ZHIGZHIDSUREN', 'Jigjidsuren'],
    ['BAT ERDENE', 'Bat-Erdene'],
    ['KHULAN', 'Hulan'],
  ] as const) {
    it(`${inZone} is ${inRegister}`, () => {
      expect(isSameName(inZone, inRegister)).to.equal(true);
    });
  }

  for (const [inZone, inRegister] of [
    ['SARANGEREL', 'Unurbayar'],
    ['BAT', 'Bat-Erdene'],
    ['', 'Unurbayar'],
  ] as const) {
    it(`${inZone || 'nothing'} is not ${inRegister}`, () => {
      expect(isSameName(inZone, inRegister)).to.equal(false);
    });
  }

  it('may be cut off, in the middle of a letter too', () => {
    expect(
      isSameName('LKHAGVASUREN DAMDINSUREN T', 'Lkhagvasuren-Damdinsurentseren', true),
    ).to.equal(true);
    expect(isSameName('LKHAGVASUREN DAMDINSUREN T', 'Lkhagvasuren-Damdin', true)).to.equal(false);
    expect(isSameName('L', 'Lkhagvasuren', true)).to.equal(false);
  });
});
