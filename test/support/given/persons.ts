import type { CivilRecord, CivilRegistry } from '../../../application/ports/civilRegistry.ts';
import type { PersonIdentifier } from '../../../domain/shared/etsi.ts';

export const bold: CivilRecord = {
  civilId: '110000000001',
  cardNumber: 'E00000001',
  identity: {
    givenName: 'Болд',
    surname: 'Дорж',
    familyName: 'Боржигон',
    givenNameLatin: 'Bold',
    surnameLatin: 'Dorj',
    registrationNumber: 'уб85031512',
    birthDate: '1985-03-15',
    gender: 'M',
    geId: 200001,
  },
};

export const saran: CivilRecord = {
  civilId: '110000000002',
  cardNumber: 'E00000002',
  identity: {
    ...bold.identity,
    givenName: 'Саран',
    givenNameLatin: 'Saran',
    registrationNumber: 'аа90110724',
    birthDate: '1990-11-07',
    gender: 'F',
    geId: 200002,
  },
};

export function cardOf({ civilId, cardNumber, identity }: CivilRecord) {
  return { identifier: civilId, cardNumber: cardNumber ?? '', birthDate: identity.birthDate };
}

/** Bold or Saran. */
function personNamed(wanted: PersonIdentifier): CivilRecord | undefined {
  return [bold, saran].find(({ civilId, identity }) =>
    wanted.type === 'civilId'
      ? civilId === wanted.civilId
      : identity.registrationNumber === wanted.registrationNumber,
  );
}

/** Bold and Saran. */
export const twoPersons: CivilRegistry = {
  find: (wanted) => Promise.resolve(personNamed(wanted) ?? null),
};
