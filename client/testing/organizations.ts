import { randomInt, randomUUID, X509Certificate } from 'node:crypto';
import { ConfigurationError, type OnBehalfOf, type RightType } from '../index.ts';
import { isObject, type Json, objectsIn, textIn } from '../json.ts';
import { createFakeAuthority, type Holder } from './authority.ts';
import type { Citizens, FakeCitizen } from './citizens.ts';
import { FakeProblem, type FakeRequest, type Handlers, pdfIn } from './exchange.ts';
import { signDigest } from './phone.ts';

/** An organization of the fake platform; what is left out is made up. */
export interface FakeOrganizationWish {
  /** National registration number, seven digits. */
  readonly register?: string;
  /** Name as registered. */
  readonly name?: string;
  /** Latin name; default none. */
  readonly nameEn?: string | null;
  /** Level of the seal certificate; default `QUALIFIED`. */
  readonly level?: 'QUALIFIED' | 'QSCD';
  /** Default true; false: nobody may act for it, and seals are refused with `ORG_NOT_ACTIVE`. */
  readonly active?: boolean;
}

/** An organization of the fake platform. */
export interface FakeOrganization extends Required<FakeOrganizationWish> {
  /** `NTRMN-<register>`. */
  readonly orgEtsi: string;
}

/** A right that somebody has, or was offered. */
interface KeptRight {
  readonly citizen: FakeCitizen;
  readonly register: string;
  readonly role: string | null;
  readonly rightType: RightType;
  readonly status: 'ACTIVE' | 'PENDING';
}

/** Organizations, who represents them, and their seals. */
export interface Organizations {
  add(wish?: FakeOrganizationWish): FakeOrganization;
  /** The right of a citizen to act for an organization; undefined: none. */
  representedBy(citizen: FakeCitizen, orgEtsi: string | null): OnBehalfOf | undefined;
  /** Number of organizations that the citizen may act for. */
  countOf(citizen: FakeCitizen): number;
  readonly handlers: Handlers;
}

const ETSI = 'NTRMN-';
const REGISTER = /^\d{7}$/;
/** Algorithm of a seal, by the length of the digest in bytes. */
const algorithms: Readonly<Record<number, string>> = {
  32: 'ecdsa-with-SHA256',
  48: 'ecdsa-with-SHA384',
  64: 'ecdsa-with-SHA512',
};
const validFrom = new Date().toISOString();

export function createOrganizations(citizens: Citizens): Organizations {
  const authority = createFakeAuthority();
  const listed: FakeOrganization[] = [];
  const seals = new Map<string, Holder>();
  let rights: readonly KeptRight[] = [];

  function add(wish: FakeOrganizationWish = {}): FakeOrganization {
    const { register = String(randomInt(1_000_000, 10_000_000)) } = wish;
    if (!REGISTER.test(register)) throw new ConfigurationError('register must be seven digits.');
    const made = { name: 'Жишээ ХХК', nameEn: null, level: 'QUALIFIED', active: true } as const;
    const organization = { ...made, ...wish, register, orgEtsi: `${ETSI}${register}` };
    listed.push(organization);
    return organization;
  }

  const find = (register: string) => listed.findLast((each) => each.register === register);

  function known(register: string): FakeOrganization {
    const found = find(register.replace(ETSI, ''));
    if (found === undefined) throw new FakeProblem('ORG_NOT_FOUND');
    if (!found.active) throw new FakeProblem('ORG_NOT_ACTIVE');
    return found;
  }

  function person(id: string): FakeCitizen {
    const found = citizens.find(id);
    if (found === undefined) throw new FakeProblem('PERSON_NOT_FOUND');
    return found;
  }

  /** Rights the citizen was added with, and those given since. */
  function rightsOf(citizen: FakeCitizen): readonly OnBehalfOf[] {
    const given = rights.filter((each) => each.citizen === citizen && each.status === 'ACTIVE');
    const added = citizen.represents.filter(({ orgEtsi }) => {
      const organization = find(orgEtsi.replace(ETSI, ''));
      return organization?.active ?? true;
    });
    return [
      ...added,
      ...given.flatMap(({ register, role, rightType }) => {
        const organization = find(register);
        if (organization?.active !== true) return [];
        const { orgEtsi, name: orgName } = organization;
        return [{ orgEtsi, orgName, role, rightType }];
      }),
    ];
  }

  function representations(citizen: FakeCitizen): Json {
    return {
      personEtsi: citizen.etsi,
      representations: rightsOf(citizen).map((right) => {
        const orgRegister = right.orgEtsi.replace(ETSI, '');
        const orgNameEn = find(orgRegister)?.nameEn ?? null;
        return { ...right, orgRegister, orgNameEn, source: 'MANUAL', validFrom, validTo: null };
      }),
    };
  }

  function withoutRight(citizen: FakeCitizen, register: string): readonly KeptRight[] {
    return rights.filter((each) => each.citizen !== citizen || each.register !== register);
  }

  /** ADMINs of an organization. */
  function adminsOf(register: string): readonly FakeCitizen[] {
    const isAdmin = ({ orgEtsi, rightType }: OnBehalfOf) =>
      orgEtsi === `${ETSI}${register}` && rightType === 'ADMIN';
    return citizens.all().filter((citizen) => rightsOf(citizen).some(isAdmin));
  }

  /** True where an ADMIN answers `OK`, and where there is none, or the one it is about, whom nobody asks. */
  function isConfirmed(register: string, about: FakeCitizen | null = null): boolean {
    const admins = adminsOf(register);
    const isAsked = admins.length > 0 && (about === null || !admins.includes(about));
    return !isAsked || admins.some(({ answers }) => answers === 'OK');
  }

  /** @throws FakeProblem CONFLICT, as once an ADMIN has refused */
  function expectConfirmation(register: string): void {
    if (!isConfirmed(register)) throw new FakeProblem('CONFLICT');
  }

  function link({ body }: FakeRequest, [personEtsi = '']: readonly string[]): Json {
    const citizen = person(personEtsi);
    const wish = isObject(body) ? body : {};
    const isOwn = ({ regNo }: { readonly regNo: unknown }) =>
      String(regNo).toLowerCase() === citizen.regNo.toLowerCase();
    const affiliate = objectsIn(wish, 'affiliates').find((each) => isOwn({ regNo: each['regNo'] }));
    if (affiliate === undefined) throw new FakeProblem('REPRESENTATION_DENIED');
    const register = textIn(wish, 'orgRegister') ?? '';
    const name = textIn(wish, 'orgName') ?? '';
    if (find(register) === undefined) {
      add({ register, name, nameEn: textIn(wish, 'orgNameEn') });
    }
    known(register);
    const role = textIn(affiliate, 'role');
    const status = isConfirmed(register, citizen) ? 'ACTIVE' : 'PENDING';
    const right = { citizen, register, role, rightType: 'ADMIN', status } as const;
    rights = [...withoutRight(citizen, register), right];
    const pendingConfirmation = status === 'PENDING' && pendingOf(right, known(register));
    return { ...representations(citizen), ...(pendingConfirmation && { pendingConfirmation }) };
  }

  function unlink(_: FakeRequest, [personEtsi = '', register = '']: readonly string[]): Json {
    const citizen = person(personEtsi);
    rights = withoutRight(citizen, register);
    return representations(citizen);
  }

  /** @throws FakeProblem NOT_ORG_ADMIN */
  function administered(register: string, actingEtsi: string): FakeOrganization {
    const organization = known(register);
    const right = rightsOf(person(actingEtsi)).find(
      ({ orgEtsi }) => orgEtsi === organization.orgEtsi,
    );
    if (right?.rightType !== 'ADMIN') throw new FakeProblem('NOT_ORG_ADMIN');
    return organization;
  }

  function signers(register: string, acting: string, pending: KeptRight | null = null): Json {
    const organization = administered(register, acting);
    const added = citizens
      .all()
      .flatMap((citizen) =>
        citizen.represents
          .filter(({ orgEtsi }) => orgEtsi === organization.orgEtsi)
          .map(({ role, rightType }) => ({ citizen, role, rightType, status: 'ACTIVE' })),
      );
    const given = rights.filter((each) => each.register === register);
    return {
      orgRegister: register,
      signers: [...added, ...given].map(({ citizen, role, rightType, status }) => ({
        personEtsi: citizen.etsi,
        regNo: citizen.regNo,
        name: `${citizen.lastName} ${citizen.firstName}`,
        nameEn: null,
        role,
        rightType,
        status,
        source: 'MANUAL',
        self: citizen.etsi === acting,
      })),
      ...(pending?.status === 'PENDING' && {
        pendingConfirmation: {
          ...pendingOf(pending, organization),
          adminSessionId: randomUUID(),
        },
      }),
    };
  }

  function pendingOf({ citizen }: KeptRight, { register, name }: FakeOrganization): Json {
    return {
      orgRegister: register,
      orgName: name,
      signerEtsi: citizen.etsi,
      signerRegNo: citizen.regNo,
      sessionId: randomUUID(),
    };
  }

  /** Adds a signer: in force at once when the signer and an ADMIN answer `OK`, else pending. */
  function addSigner({ body }: FakeRequest, [register = '', acting = '']: readonly string[]): Json {
    administered(register, acting);
    const wish = isObject(body) ? body : {};
    const citizen = citizens.find(textIn(wish, 'signerRegNo') ?? '');
    if (citizen === undefined) throw new FakeProblem('SIGNER_NOT_ENROLLED');
    const isAgreed = citizen.answers === 'OK' && isConfirmed(register);
    const status = isAgreed ? 'ACTIVE' : 'PENDING';
    const role = textIn(wish, 'role');
    const right = { citizen, register, role, rightType: 'MANAGER', status } as const;
    rights = [...withoutRight(citizen, register), right];
    return signers(register, acting, right);
  }

  function signerOf({ query }: FakeRequest, register: string): KeptRight {
    const citizen = citizens.find(query['signer'] ?? '');
    const found = rights.find((each) => each.citizen === citizen && each.register === register);
    if (found === undefined) throw new FakeProblem('REPRESENTATIVE_NOT_FOUND');
    return found;
  }

  function removeSigner(
    request: FakeRequest,
    [register = '', acting = '']: readonly string[],
  ): Json {
    administered(register, acting);
    const { citizen, rightType } = signerOf(request, register);
    if (rightType === 'ADMIN') throw new FakeProblem('LAST_ADMIN');
    rights = withoutRight(citizen, register);
    return signers(register, acting);
  }

  function rename({ body }: FakeRequest, [register = '', acting = '']: readonly string[]): Json {
    const organization = administered(register, acting);
    expectConfirmation(register);
    const nameEn = textIn(isObject(body) ? body : {}, 'nameLatin');
    listed.push({ ...organization, nameEn });
    return representations(person(acting));
  }

  function holderOf({ orgEtsi, name, level }: FakeOrganization): Holder {
    const holder = seals.get(orgEtsi) ?? authority.certifySeal({ orgEtsi, name, level });
    seals.set(orgEtsi, holder);
    return holder;
  }

  function seal({ body }: FakeRequest, [orgEtsi = '']: readonly string[]): Json {
    const organization = known(orgEtsi);
    const holder = holderOf(organization);
    const digest = Buffer.from(textIn(isObject(body) ? body : {}, 'digest') ?? '', 'base64');
    const signatureAlgorithm = algorithms[digest.length];
    if (signatureAlgorithm === undefined) {
      const faults = [{ pointer: '/digest', detail: 'Must be 32, 48 or 64 bytes.' }];
      throw new FakeProblem('INVALID_REQUEST', { faults });
    }
    const value = signDigest(holder, digest).toString('base64');
    return {
      signature: { value, signatureAlgorithm },
      cert: certificateIn(holder, organization),
      sealedAt: new Date().toISOString(),
    };
  }

  /** Appends a comment to the PDF. */
  function sealPdf({ body }: FakeRequest, [orgEtsi = '']: readonly string[]): Uint8Array {
    const { name } = known(orgEtsi);
    return Buffer.concat([
      pdfIn(body),
      Buffer.from(`\n% Sealed for ${name} by the fake platform\n`),
    ]);
  }

  function sealCertificate(_: FakeRequest, [orgEtsi = '']: readonly string[]): Json {
    const organization = known(orgEtsi);
    const holder = holderOf(organization);
    const read = new X509Certificate(holder.certificate);
    return {
      serialNumber: read.serialNumber.toLowerCase(),
      subjectDn: read.subject.replaceAll('\n', ', '),
      notBefore: read.validFromDate.toISOString(),
      notAfter: read.validToDate.toISOString(),
      certificateLevel: organization.level,
      cert: certificateIn(holder, organization),
    };
  }

  function issueSealCertificate(request: FakeRequest, segments: readonly string[]): Json {
    const { register, orgEtsi } = known(segments[0] ?? '');
    expectConfirmation(register);
    seals.delete(orgEtsi);
    return sealCertificate(request, segments);
  }

  const ofPerson = String.raw`/v3/organization/representations/etsi/([^/]+)`;
  const ofOrganization = String.raw`/v3/organization/signers/([^/]+)/etsi/([^/]+)`;

  return {
    add,
    representedBy: (citizen, orgEtsi) => rightsOf(citizen).find((each) => each.orgEtsi === orgEtsi),
    countOf: (citizen) => rightsOf(citizen).length,
    handlers: [
      [/^POST \/v3\/seal\/([^/]+)$/, seal],
      [/^POST \/v3\/seal\/([^/]+)\/pdf$/, sealPdf],
      [/^GET \/v3\/seal\/certificate\/([^/]+)$/, sealCertificate],
      [/^POST \/v3\/seal\/certificate\/([^/]+)$/, issueSealCertificate],
      [new RegExp(`^GET ${ofPerson}$`), (_, [id = '']) => representations(person(id))],
      [new RegExp(`^POST ${ofPerson}$`), link],
      [new RegExp(`^DELETE ${ofPerson}/([^/]+)$`), unlink],
      [new RegExp(`^GET ${ofOrganization}$`), (_, [of = '', by = '']) => signers(of, by)],
      [new RegExp(`^POST ${ofOrganization}$`), addSigner],
      [new RegExp(`^DELETE ${ofOrganization}$`), removeSigner],
      [
        new RegExp(`^POST ${ofOrganization}/resend$`),
        (request, [of = '', by = '']) => signers(of, by, signerOf(request, of)),
      ],
      [/^PUT \/v3\/organization\/name-latin\/([^/]+)\/etsi\/([^/]+)$/, rename],
    ],
  };
}

function certificateIn({ certificate }: Holder, { level }: FakeOrganization): Json {
  return { value: certificate.toString('base64'), certificateLevel: level };
}
