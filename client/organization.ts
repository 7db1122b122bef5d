import type { Http, HttpRequest } from './http.ts';
import { isTrueIn, type Json, objectIn, objectsIn, oneOf, required, textIn } from './json.ts';
import type { SessionApi } from './session.ts';
import type { CallOptions } from './types.ts';

/** `ADMIN` may add and remove signers, `MANAGER` may sign. */
export type RightType = 'ADMIN' | 'MANAGER';

/** One right of a person to act for an organization, valid now. */
export interface Representation {
  /** Organization, `NTRMN-<register>`. */
  readonly orgEtsi: string;
  /** National registration number. */
  readonly orgRegister: string;
  /** Name as registered. */
  readonly orgName: string;
  /** Latin name; null when there is none. */
  readonly orgNameEn: string | null;
  /** Title, free text. */
  readonly role: string | null;
  /** Rights granted: see {@link RightType}. */
  readonly rightType: RightType;
  /** Origin: `REGISTRY` or `MANUAL`. */
  readonly source: string;
  /** RFC 3339. */
  readonly validFrom: string;
  /** RFC 3339; null: without end. */
  readonly validTo: string | null;
}

/** All organizations a person may act for. */
export interface Representations {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** Representations; empty when there are none. */
  readonly representations: readonly Representation[];
  /** After a link that waits for an ADMIN of the organization: the session in which the ADMIN is asked; otherwise absent. */
  readonly pendingConfirmation?: PendingConfirmation;
}

/** A person named in the business registry's record of an organization. */
export interface Affiliate {
  /** Registration number, either case. */
  readonly regNo: string;
  /** Title, free text. */
  readonly role?: string;
  /** Relation to the organization. */
  readonly kind?: 'CEO' | 'FOUNDER' | 'STAKEHOLDER';
}

/** An organization to link a citizen to. */
export interface OrganizationLink {
  /** National registration number. */
  readonly orgRegister: string;
  /** Name as registered. */
  readonly orgName: string;
  /** Latin name. */
  readonly orgNameEn?: string;
  /** Everybody named by the business registry; the citizen must be among them. */
  readonly affiliates: readonly Affiliate[];
}

/** A signer of an organization. */
export interface Signer {
  /** `PNOMN-<civil id>`. */
  readonly personEtsi: string;
  /** Lower case. */
  readonly regNo: string;
  /** Name as registered. */
  readonly name: string;
  /** Latin name; null when there is none. */
  readonly nameEn: string | null;
  /** Title, free text; null when there is none. */
  readonly role: string | null;
  /** Rights granted: see {@link RightType}. */
  readonly rightType: RightType;
  /** `ACTIVE`: confirmed by the signer and an ADMIN; `PENDING`: not yet. */
  readonly status: 'ACTIVE' | 'PENDING';
  /** `REGISTRY` or `MANUAL`. */
  readonly source: string;
  /** True for the acting person. */
  readonly self: boolean;
}

/** Sessions in which a new signer and an ADMIN of the organization confirm, by push to their phones. */
export interface PendingConfirmation {
  /** National registration number. */
  readonly orgRegister: string;
  /** Name as registered. */
  readonly orgName: string;
  /** `PNOMN-<civil id>` of the new signer. */
  readonly signerEtsi: string;
  /** Registration number of the new signer. */
  readonly signerRegNo: string;
  /** Session of the signer, or after a link of the ADMIN; not for polling. */
  readonly sessionId: string;
  /** Session in which an ADMIN confirms a new signer; absent after a link. */
  readonly adminSessionId?: string;
}

/** The signers of an organization. */
export interface Signers {
  /** National registration number. */
  readonly orgRegister: string;
  /** In no particular order. */
  readonly signers: readonly Signer[];
  /** Confirmation just requested; null when there is none. */
  readonly pendingConfirmation: PendingConfirmation | null;
}

/**
 * Representation of organizations (specification, Organization signers; contract §8). `personEtsi` and `actingPersonEtsi` are
 * `PNOMN-<civil id>`. Writing needs the permission `ORG_LINK_WRITE`, and the acting person must be an ADMIN of the
 * organization: else {@link ForbiddenError}.
 */
export interface Organization {
  /** Lists the organizations the person may act for now. Each look-up is audited. */
  representations(personEtsi: string, options?: CallOptions): Promise<Representations>;
  /**
   * Links the person to an organization as its ADMIN. Where it has one already, an ADMIN is asked by push, and the right
   * waits for the answer: `pendingConfirmation`. Calling again asks again, once the session is over.
   *
   * @throws ForbiddenError when the person's registration number is not among `affiliates`, or not in the registry
   * @throws ApiError 409 `CONFLICT` when another organization has a name that looks like one of a new organization
   */
  link(
    personEtsi: string,
    organization: OrganizationLink,
    options?: CallOptions,
  ): Promise<Representations>;
  /** Removes a link of this relying party: else {@link ForbiddenError}. @returns the remaining representations */
  unlink(personEtsi: string, orgRegister: string, options?: CallOptions): Promise<Representations>;
  /** Lists the signers of the organization, confirmed or not. */
  signers(orgRegister: string, actingPersonEtsi: string, options?: CallOptions): Promise<Signers>;
  /**
   * Adds a signer, always a MANAGER, who is asked to confirm by push, and so is an ADMIN.
   *
   * @throws ApiError 404 `SIGNER_NOT_ENROLLED`
   */
  addSigner(
    orgRegister: string,
    actingPersonEtsi: string,
    signer: { readonly signerRegNo: string; readonly role?: string },
    options?: CallOptions,
  ): Promise<Signers>;
  /** Removes a signer of this relying party, identified by registration number. */
  removeSigner(
    orgRegister: string,
    actingPersonEtsi: string,
    signerRegNo: string,
    options?: CallOptions,
  ): Promise<Signers>;
  /** Sends the confirmation request again to a signer who has not confirmed. */
  resendConfirmation(
    orgRegister: string,
    actingPersonEtsi: string,
    signerRegNo: string,
    options?: CallOptions,
  ): Promise<Signers>;
  /**
   * Changes the organization's Latin name, which is part of its certificate, once an ADMIN of the organization has
   * confirmed on the phone, which it waits for. Rejects with an {@link ApiError} 409 when the ADMIN refuses,
   * and when another organization has a name that looks the same.
   */
  setNameLatin(
    orgRegister: string,
    actingPersonEtsi: string,
    nameLatin: string,
    options?: CallOptions,
  ): Promise<Representations>;
}

const REPRESENTATIONS = '/organization/representations/etsi/{personEtsi}';
const SIGNERS = '/organization/signers/{orgRegister}/etsi/{actingPersonEtsi}';
const NAME_LATIN = '/organization/name-latin/{orgRegister}/etsi/{actingPersonEtsi}';

export function createOrganization(
  http: Http,
  session: Pick<SessionApi, 'waitForResult'>,
): Organization {
  const representations = async (request: HttpRequest) =>
    readRepresentations(await http.json(request));
  const signers = async (request: HttpRequest) => readSigners(await http.json(request));

  return {
    representations: (personEtsi, { signal } = {}) =>
      representations({ method: 'GET', route: REPRESENTATIONS, params: { personEtsi }, signal }),
    link: (personEtsi, body, { signal } = {}) =>
      representations({
        method: 'POST',
        route: REPRESENTATIONS,
        params: { personEtsi },
        body,
        signal,
      }),
    unlink: (personEtsi, orgRegister, { signal } = {}) =>
      representations({
        method: 'DELETE',
        route: `${REPRESENTATIONS}/{orgRegister}`,
        params: { personEtsi, orgRegister },
        signal,
      }),
    signers: (orgRegister, actingPersonEtsi, { signal } = {}) =>
      signers({
        method: 'GET',
        route: SIGNERS,
        params: { orgRegister, actingPersonEtsi },
        signal,
      }),
    addSigner: (orgRegister, actingPersonEtsi, body, { signal } = {}) =>
      signers({
        method: 'POST',
        route: SIGNERS,
        params: { orgRegister, actingPersonEtsi },
        body,
        signal,
      }),
    removeSigner: (orgRegister, actingPersonEtsi, signer, { signal } = {}) =>
      signers({
        method: 'DELETE',
        route: SIGNERS,
        params: { orgRegister, actingPersonEtsi },
        query: { signer },
        signal,
      }),
    resendConfirmation: (orgRegister, actingPersonEtsi, signer, { signal } = {}) =>
      signers({
        method: 'POST',
        route: `${SIGNERS}/resend`,
        params: { orgRegister, actingPersonEtsi },
        query: { signer },
        signal,
      }),
    setNameLatin: async (orgRegister, actingPersonEtsi, nameLatin, { signal } = {}) => {
      const put = (body: { readonly nameLatin: string; readonly sessionId?: string }) =>
        http.json({
          method: 'PUT',
          route: NAME_LATIN,
          params: { orgRegister, actingPersonEtsi },
          body,
          signal,
        });
      const asked = await put({ nameLatin });
      const { sessionId } = asked;
      // Services before the confirmation, and a name that is so already, are answered at once.
      if (typeof sessionId !== 'string') return readRepresentations(asked);
      await session.waitForResult(sessionId, { ...(signal && { signal }) });
      return readRepresentations(await put({ nameLatin, sessionId }));
    },
  };
}

const rightTypes = ['ADMIN', 'MANAGER'] as const;

function readRepresentations(answer: Json): Representations {
  const pending = readPending(answer);
  return {
    personEtsi: required(answer, 'personEtsi'),
    representations: objectsIn(answer, 'representations').map((right) => ({
      orgEtsi: required(right, 'orgEtsi'),
      orgRegister: required(right, 'orgRegister'),
      orgName: required(right, 'orgName'),
      orgNameEn: textIn(right, 'orgNameEn'),
      role: textIn(right, 'role'),
      rightType: oneOf(right, 'rightType', rightTypes),
      source: required(right, 'source'),
      validFrom: required(right, 'validFrom'),
      validTo: textIn(right, 'validTo'),
    })),
    ...(pending === null ? {} : { pendingConfirmation: pending }),
  };
}

function readSigners(answer: Json): Signers {
  return {
    orgRegister: required(answer, 'orgRegister'),
    signers: objectsIn(answer, 'signers').map((signer) => ({
      personEtsi: required(signer, 'personEtsi'),
      regNo: required(signer, 'regNo'),
      name: required(signer, 'name'),
      nameEn: textIn(signer, 'nameEn'),
      role: textIn(signer, 'role'),
      rightType: oneOf(signer, 'rightType', rightTypes),
      status: oneOf(signer, 'status', ['ACTIVE', 'PENDING']),
      source: required(signer, 'source'),
      self: isTrueIn(signer, 'self'),
    })),
    pendingConfirmation: readPending(answer),
  };
}

function readPending(answer: Json): PendingConfirmation | null {
  const pending = objectIn(answer, 'pendingConfirmation');
  if (pending === null) return null;
  const adminSessionId = textIn(pending, 'adminSessionId');
  return {
    orgRegister: required(pending, 'orgRegister'),
    orgName: required(pending, 'orgName'),
    signerEtsi: required(pending, 'signerEtsi'),
    signerRegNo: required(pending, 'signerRegNo'),
    sessionId: required(pending, 'sessionId'),
    ...(adminSessionId === null ? {} : { adminSessionId }),
  };
}
