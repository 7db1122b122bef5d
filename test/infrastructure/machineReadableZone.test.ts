import { expect } from 'chai';
import fc from 'fast-check';
import { certificateCountry } from '../../infrastructure/passport/countries.ts';
import { readMachineReadableZone } from '../../infrastructure/passport/mrz.ts';
import { PassportRejected } from '../../infrastructure/passport/rejection.ts';
import { specimen, specimenDay } from '../support/passport/passports.ts';

const read = (zone: string, now = specimenDay) => readMachineReadableZone(zone, now);

function rejection(zone: string): string {
  try {
    read(zone);
    return 'accepted';
  } catch (error) {
    if (error instanceof PassportRejected) return error.message;
    throw error;
  }
}

/** The text with one character changed. */
function changed(text: string, position: number, to: string): string {
  return text.slice(0, position) + to + text.slice(position + 1);
}

const extended =
  'I<UTOD23145890<7349<<<<<<<<<<<\n3407127M9507122UTO<<<<<<<<<<<2\nSTEVENSON<<PETER<JOHN<<<<<<<<<';

describe('machine-readable zone (ICAO Doc 9303-3 to -6)', () => {
  it('reads the specimen passport of Doc 9303-4', () => {
    expect(read(specimen.TD3)).to.deep.equal({
      format: 'TD3',
      text: specimen.TD3.replace('\n', ''),
      documentCode: 'P',
      issuingState: 'UTO',
      documentNumber: 'L898902C3',
      nationality: 'UTO',
      primaryIdentifier: 'ERIKSSON',
      secondaryIdentifier: 'ANNA MARIA',
      isNameCut: false,
      birthDate: '1974-08-12',
      sex: 'F',
      expiryDate: '2012-04-15',
      optionalData: ['ZE184226B'],
    });
  });

  for (const format of ['TD1', 'TD2'] as const) {
    it(`reads the specimen of format ${format}`, () => {
      expect(read(specimen[format])).to.include({
        format,
        documentCode: 'I',
        documentNumber: 'D23145890',
        primaryIdentifier: 'ERIKSSON',
        secondaryIdentifier: 'ANNA MARIA',
        birthDate: '1974-08-12',
        expiryDate: '2012-04-15',
      });
    });
  }

  it('reads a document number that is too long for its field (Doc 9303-5, note j)', () => {
    expect(read(extended, new Date('1990-01-01'))).to.include({
      documentNumber: 'D23145890734',
      birthDate: '1934-07-12',
      expiryDate: '1995-07-12',
    });
  });

  it('reads lines without breaks between them', () => {
    expect(read(specimen.TD3.replace('\n', '')).format).to.equal('TD3');
  });

  const [names, data] = specimen.TD3.split('\n') as [string, string];
  const line2 = (position: number, to: string) => `${names}\n${changed(data, position, to)}`;
  const line1 = (name: string) => `P<UTO${name.padEnd(39, '<')}\n${data}`;

  for (const { what, zone, reason } of [
    { what: 'the document number', zone: line2(0, 'M'), reason: 'MRZ_CHECK_DIGIT: documentNumber' },
    { what: 'its check digit', zone: line2(9, '7'), reason: 'MRZ_CHECK_DIGIT: documentNumber' },
    { what: 'the birth date', zone: line2(14, '5'), reason: 'MRZ_CHECK_DIGIT: birthDate' },
    { what: 'the expiry date', zone: line2(22, '3'), reason: 'MRZ_CHECK_DIGIT: expirationDate' },
    {
      what: 'the personal number',
      zone: line2(28, 'Y'),
      reason: 'MRZ_CHECK_DIGIT: personalNumber',
    },
    {
      what: 'the composite check digit',
      zone: line2(43, '1'),
      reason: 'MRZ_CHECK_DIGIT: composite',
    },
    { what: 'the sex', zone: line2(20, 'Q'), reason: 'MRZ_FIELD: sex' },
    { what: 'the nationality', zone: line2(10, 'Z'), reason: 'MRZ_FIELD: nationality' },
    {
      what: 'the issuing State',
      zone: changed(specimen.TD3, 2, 'Q'),
      reason: 'MRZ_FIELD: issuingState',
    },
    {
      what: 'the document code',
      zone: changed(specimen.TD3, 0, 'V'),
      reason: 'MRZ_FIELD: documentCode',
    },
    { what: 'an alphabet of its own', zone: line2(3, 'é'), reason: 'MRZ_ALPHABET' },
    { what: 'small letters', zone: specimen.TD3.toLowerCase(), reason: 'MRZ_ALPHABET' },
    { what: 'a character too few', zone: specimen.TD3.slice(0, -1), reason: 'MRZ_FORMAT' },
    { what: 'a character too many', zone: `${specimen.TD3}<`, reason: 'MRZ_FORMAT' },
    {
      what: 'lines cut elsewhere',
      zone: specimen.TD3.replace('\n', '').replace(/^(.{40})/, '$1\n'),
      reason: 'MRZ_FORMAT',
    },
    { what: 'nothing', zone: '', reason: 'MRZ_FORMAT' },
    { what: 'a digit in the name', zone: line1('ER1KSSON<<ANNA'), reason: 'MRZ_FIELD: lastName' },
    {
      what: 'a name after the filler',
      zone: line1('ERIKSSON<<ANNA<<<MARIA'),
      reason: 'MRZ_FIELD: name',
    },
    { what: 'three identifiers', zone: line1('ERIKSSON<<ANNA<<MARIA'), reason: 'MRZ_FIELD: name' },
    { what: 'no name', zone: line1(''), reason: 'MRZ_FIELD: name' },
    {
      what: 'an extended number without its rest',
      zone: changed(specimen.TD1, 14, '<'),
      reason: 'MRZ_CHECK_DIGIT: documentNumber',
    },
  ]) {
    it(`refuses ${what} changed or wrong, and says where`, () => {
      expect(rejection(zone)).to.equal(reason);
    });
  }

  it('refuses an extended document number of which there is nothing, with right check digits', () => {
    const reasons = Array.from({ length: 10 }, (_, digit) =>
      rejection(
        `I<UTO${'<'.repeat(25)}\n7408122F1204159UTO<<<<<<<<<<<${digit}\nA<<B${'<'.repeat(26)}`,
      ),
    );
    expect(reasons).to.include('MRZ_FIELD: documentNumber').and.not.to.include('accepted');
  });

  it('refuses every digit of the data line changed to another', () => {
    for (const [position, character] of Array.from(data).entries()) {
      if (!/\d/.test(character)) continue;
      const to = String((Number(character) + 1) % 10);
      expect(rejection(line2(position, to)), `position ${position}`).to.match(/^MRZ_/);
    }
  });

  it('refuses a day that does not exist, with right check digits', () => {
    // 30 February 1974: check digit 4 of the date; composite made to fit.
    const zone = data.replace('7408122', '7402304');
    const zones = Array.from(
      { length: 10 },
      (_, digit) => `${names}\n${zone.slice(0, 43)}${digit}`,
    );
    expect(zones.map(rejection)).to.include('MRZ_FIELD: birthDate');
    expect(zones.map(rejection)).not.to.include('accepted');
  });

  it('takes the century in which a person can be born', () => {
    const of = (day: string) => read(specimen.TD3, new Date(day)).birthDate;
    expect([of('2010-01-01'), of('2080-01-01')]).to.deep.equal(['1974-08-12', '2074-08-12']);
  });

  it('knows a birth date of which a part is not known', () => {
    const zone = data.replace('7408122', '74<<<<4');
    const zones = Array.from({ length: 100 }, (_, digits) => {
      const [date, composite] = String(digits).padStart(2, '0');
      return `${names}\n${zone.slice(0, 19)}${date}${zone.slice(20, 43)}${composite}`;
    });
    const found = zones.find((each) => rejection(each) === 'accepted') ?? '';
    expect(read(found).birthDate).to.equal(null);
  });

  it('says that a name which fills its field may have been cut off', () => {
    const name = 'NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K';
    expect(read(line1(name))).to.include({
      primaryIdentifier: 'NILAVADHANANANDA',
      secondaryIdentifier: 'CHAYAPA DEJTHAMRONG K',
      isNameCut: true,
    });
  });

  it('has a reason for whatever is sent', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 120 }),
          fc.string({
            unit: fc.constantFrom(...Array.from('AB<019\n')),
            minLength: 72,
            maxLength: 92,
          }),
          fc
            .tuple(fc.constantFrom(...Object.values(specimen)), fc.nat(91), fc.string())
            .map(([zone, at, text]) => zone.slice(0, at) + text + zone.slice(at + text.length)),
        ),
        (zone) => {
          rejection(zone);
        },
      ),
    );
  });
});

describe('country codes of machine-readable zones', () => {
  it('are those of ISO 3166-1, Germany by its single letter, and those of Doc 9303-3 §5', () => {
    expect(['MNG', 'USA', 'D', 'UTO', 'RKS', 'EUE'].map(certificateCountry)).to.deep.equal([
      ...['MN', 'US', 'DE', 'UT', 'KS', 'EU'],
    ]);
    expect(['XXA', 'DEU ', '', 'constructor'].map(certificateCountry)).to.deep.equal([
      ...[null, null, null, null],
    ]);
  });

  it('name countries that exist', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    for (const code of ['MNG', 'AFG', 'ZWE', 'GBR', 'CHN']) {
      expect(names.of(certificateCountry(code) ?? ''), code).to.be.a('string');
    }
  });
});
