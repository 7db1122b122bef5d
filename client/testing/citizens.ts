import { randomInt, randomUUID } from 'node:crypto';
import { type CertificateLevel, ConfigurationError, type OnBehalfOf } from '../index.ts';
import { createFakeAuthority, type Holder } from './authority.ts';
import type { FakeFlaw, FakeOutcome } from './outcomes.ts';

/** A citizen of the fake platform, with one phone; what is left out is made up. */
export interface FakeCitizenWish {
  /** Twelve digits. */
  readonly civilId?: string;
  /** Registration number: two Cyrillic letters, eight digits. */
  readonly regNo?: string;
  /** Given name. */
  readonly firstName?: string;
  /** Father's name. */
  readonly lastName?: string;
  /** Level of the certificates; default `QUALIFIED`. */
  readonly level?: CertificateLevel;
  /** Answer of the phone; default `OK`; null: not before the test calls `answer` of the session. */
  readonly answers?: FakeOutcome | null;
  /** Time until it answers, ms of the platform's clock; default 0: at once. */
  readonly answersAfterMs?: number;
  /** Organizations the citizen may act for; default none. */
  readonly represents?: readonly OnBehalfOf[];
}

/** A citizen of the fake platform. */
export interface FakeCitizen extends Required<FakeCitizenWish> {
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
  /** The phone. */
  readonly documentNumber: string;
}

/** Purpose of a key: PIN1 authenticates, PIN2 signs. */
type Purpose = 'AUTH' | 'SIGN';

export interface Citizens {
  readonly trust: { readonly trustAnchorsPem: string; readonly intermediatesPem: string };
  add(wish?: FakeCitizenWish): FakeCitizen;
  /** Finds a citizen by ETSI identifier, civil id, registration number or document number. */
  find(id: string): FakeCitizen | undefined;
  /** Everybody, in the order they were added. */
  all(): readonly FakeCitizen[];
  /** @param flaw of an answer that must not be believed; null: the citizen's own, valid key */
  holderOf(citizen: FakeCitizen, purpose: Purpose, flaw: FakeFlaw | null): Holder;
  isRevoked(certificate: Buffer): boolean;
}

const CIVIL_ID = /^\d{12}$/;

export function createCitizens(): Citizens {
  const authority = createFakeAuthority();
  const strangers = createFakeAuthority();
  const listed: FakeCitizen[] = [];
  const holders = new Map<string, Holder>();
  const revoked = new Set<string>();

  function add(wish: FakeCitizenWish = {}): FakeCitizen {
    const { civilId = newNumber(12), regNo = `уб${newNumber(8)}` } = wish;
    if (!CIVIL_ID.test(civilId)) throw new ConfigurationError('civilId must be twelve digits.');
    const citizen: FakeCitizen = {
      firstName: 'Болд',
      lastName: 'Дорж',
      level: 'QUALIFIED',
      answers: 'OK',
      answersAfterMs: 0,
      represents: [],
      ...wish,
      civilId,
      regNo,
      etsi: `PNOMN-${civilId}`,
      documentNumber: randomUUID(),
    };
    listed.push(citizen);
    return citizen;
  }

  function certify(citizen: FakeCitizen, purpose: Purpose, flaw: FakeFlaw | null): Holder {
    const { firstName, lastName, level } = citizen;
    const issuer = flaw === 'CHAIN_UNTRUSTED' ? strangers : authority;
    const holder = issuer.certify({
      purpose,
      firstName,
      lastName,
      etsi: flaw === 'PERSON_MISMATCH' ? `PNOMN-${newNumber(12)}` : citizen.etsi,
      level: flaw === 'LEVEL_TOO_LOW' ? 'ADVANCED' : level,
      expired: flaw === 'CERTIFICATE_NOT_VALID_NOW',
    });
    if (flaw === 'REVOKED') revoked.add(holder.certificate.toString('base64'));
    return holder;
  }

  return {
    trust: { trustAnchorsPem: authority.rootPem, intermediatesPem: authority.issuingPem },
    add,
    all: () => listed,
    find: (id) => {
      const wanted = id.toLowerCase();
      return listed.find(({ etsi, civilId, regNo, documentNumber }) =>
        [etsi, civilId, regNo, documentNumber].some((each) => each.toLowerCase() === wanted),
      );
    },
    holderOf: (citizen, purpose, flaw) => {
      const key = [citizen.documentNumber, purpose, flaw ?? ''].join(' ');
      const holder = holders.get(key) ?? certify(citizen, purpose, flaw);
      holders.set(key, holder);
      return holder;
    },
    isRevoked: (certificate) => revoked.has(certificate.toString('base64')),
  };
}

/** A random number of that many digits; the first is not 0. */
function newNumber(digits: number): string {
  return Array.from({ length: digits }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('');
}
