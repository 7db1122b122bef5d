import { type KeyObject, X509Certificate } from 'node:crypto';
import { createRevocationListService } from '../../application/certificate/revocationListService.ts';
import type {
  RevocationList,
  RevokedCertificate,
} from '../../application/certificate/ports/revocationLists.ts';
import { newSerial } from '../../application/certificate/certify.ts';
import { TREE_KEY_NAME } from '../../application/audit/treeKeys.ts';
import type { Clock } from '../../application/ports/clock.ts';
import {
  type OpenRootKey,
  rootKeyLabel,
  type RootState,
} from '../../infrastructure/ceremony/rootState.ts';
import { createRevocationListBuilder } from '../../infrastructure/crl/revocationListBuilder.ts';
import { caKinds, type IssuingCa, issuingCas } from '../../domain/shared/issuingCas.ts';
import { caOf, createCaIssuing } from '../../infrastructure/pki/caIssuing.ts';
import type { CertificationRequest } from '../../infrastructure/pki/certificationRequest.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { isSignedByAuthority } from '../../infrastructure/pki/kernel/authoritySignature.ts';
import { encodeName } from '../../infrastructure/pki/kernel/name.ts';
import { legalPersonName } from '../../infrastructure/pki/names.ts';
import { treeKeyProfile } from '../../infrastructure/pki/profiles.ts';
import {
  type ReadRevocationList,
  revocationListsIn,
} from '../../infrastructure/pki/revocationListReader.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

const DAY_MS = 86_400_000;

/** Subjects that an offline root certifies, by the name of their files. */
export type CertifiedByRoot = IssuingCa | 'audit-tree';

/** Subjects that the root certifies at first, in the order of its files. */
export const certifiedFirst: readonly CertifiedByRoot[] = [...caKinds, 'audit-tree'];

const commonNameOf = (name: CertifiedByRoot) =>
  name === 'audit-tree' ? TREE_KEY_NAME : caOf(name).commonName;

/** Subject of a certificate, of the operator. */
export function subjectFor(name: CertifiedByRoot, operator: RootState['operator']) {
  return legalPersonName(commonNameOf(name), operator);
}

/**
 * Finds the subject that a request asks for.
 *
 * @throws Error when it is none of those a root certifies, or another operator's
 */
export function askedFor(
  { subject }: CertificationRequest,
  operator: RootState['operator'],
): CertifiedByRoot {
  const commonName = subject.find(({ type }) => type === oid.commonName)?.value ?? '';
  const name = [...issuingCas, 'audit-tree' as const].find(
    (each) => commonNameOf(each) === commonName,
  );
  if (name === undefined) {
    throw new Error(
      `The request is for ${commonName || 'nobody'}: the root certifies only ${certifiedFirst.map(commonNameOf).join(', ')} and later generations of the issuing CAs.`,
    );
  }
  if (encodeName(subject).equals(encodeName(subjectFor(name, operator)))) return name;
  throw new Error(
    `The request for ${commonName} and the root name different operators. Check SVC_PKI_OPERATOR_NAME and SVC_PKI_OPERATOR_ETSI.`,
  );
}

/** An entry of the root's lists, which keep it while the root is valid. */
export type RevokedByRoot = Omit<RevokedCertificate, 'notAfter'>;

/** A revocation list that the root signed. */
export type RootList = ReadRevocationList & { readonly number: bigint };

/** @throws Error when the key of the root did not sign the list, or it lacks what a list of a root has */
export function expectRootList(list: ReadRevocationList, rootKey: KeyObject): RootList {
  const { number } = list;
  const spki = rootKey.export({ type: 'spki', format: 'der' });
  if (!isSignedByAuthority(list.signature, { spki })) {
    throw new Error('This is not a revocation list of this root.');
  }
  if (number === null) throw new Error('The revocation list has no number.');
  return { ...list, number };
}

/** The root's list in a file. @throws Error when there is none of this root */
export function rootListIn(file: Buffer, rootKey: KeyObject): RootList {
  const [list] = revocationListsIn(file);
  if (list === undefined) throw new Error('There is no revocation list.');
  return expectRootList(list, rootKey);
}

/** Entries of a list, for the next one. */
export const entriesOf = ({ revoked }: RootList): readonly RevokedByRoot[] =>
  Array.from(revoked, ([serial, { reason, revokedAt }]) => ({
    serial,
    reason,
    revokedAt: revokedAt.toISOString(),
  }));

type RootFacts = Pick<RootState, 'operator' | 'policyArc' | 'baseUrl'>;

/** Facts of certificates that no request has a field for, by their settings. */
const unrequested = ({ policyArc, baseUrl }: Pick<RootFacts, 'policyArc' | 'baseUrl'>) => ({
  SVC_PKI_POLICY_ARC: policyArc,
  SVC_PKI_BASE: baseUrl,
});

/** A request (PEM) after the facts that its certificate will have; readers of PEM skip such lines (RFC 7468 §2). */
export const requestFile = (facts: Omit<RootFacts, 'operator'>, request: string): string =>
  Object.entries(unrequested(facts))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('') + request;

/** @throws Error when the file of a request does not state the facts of the root */
export function expectFactsOf(root: RootFacts, file: string): void {
  for (const [name, value] of Object.entries(unrequested(root))) {
    const [, stated] = new RegExp(`^${name}=(.*)$`, 'm').exec(file) ?? [];
    if (stated?.trimEnd() === value) continue;
    throw new Error(
      `${name} is ${stated ?? 'not stated'} where the request was made, but ${value} in the root. Set it there and repeat ./tamga ceremony request, or make another root.`,
    );
  }
}

/** The root's own certificate, DER. */
export async function certifyRoot(
  { vault }: OpenRootKey,
  facts: RootFacts,
  clock: Clock,
): Promise<Buffer> {
  const { publicKey } = await vault.ensureKey(rootKeyLabel, 'P-384');
  const issuing = createCaIssuing({ ...facts, vault, clock, randomness: systemRandomness });
  return issuing.issueCa('root', publicKey, issuing.keyOf('root', publicKey), null);
}

/** An offline root whose key is open. @throws Error when the certificate is not of the key */
export async function openRoot(
  { vault }: OpenRootKey,
  state: Pick<RootState, 'certificate'> & RootFacts,
  clock: Clock,
) {
  const issuing = createCaIssuing({ ...state, vault, clock, randomness: systemRandomness });
  const key = await vault.findKey(rootKeyLabel);
  if (key === null) throw new Error(`The token has no key ${rootKeyLabel}.`);
  const { publicKey } = key;
  const certificate = Buffer.from(state.certificate, 'base64');
  const issuer = issuing.issuerOf('root', certificate, publicKey, issuing.keyOf('root', publicKey));

  async function certifyTreeKey(treeKey: Buffer): Promise<Buffer> {
    const { notBefore, notAfter } = issuer.certificate;
    return issuing.prepare(treeKeyProfile, issuer)(
      {
        serial: Buffer.from(newSerial(systemRandomness), 'hex'),
        subject: encodeName(subjectFor('audit-tree', state.operator)),
        publicKey: treeKey,
        notBefore: issuing.earlier(clock.now(), notBefore),
        notAfter,
      },
      'P-256',
    );
  }

  return {
    certificate,
    /** @returns certificate, DER */
    certify: (name: CertifiedByRoot, subjectKey: Buffer): Promise<Buffer> =>
      name === 'audit-tree'
        ? certifyTreeKey(subjectKey)
        : issuing.issueCa(name, subjectKey, issuing.keyOf(name, subjectKey), issuer),
    /** The revocation list after the last one, valid for that many days. */
    async list(
      revoked: readonly RevokedByRoot[],
      days: number,
      last: RootList | null,
    ): Promise<RevocationList> {
      const made: RevocationList[] = [];
      const notAfter = issuer.certificate.notAfter.toISOString();
      const service = createRevocationListService({
        authority: 'root',
        builder: createRevocationListBuilder(
          { certificate, keyLabel: rootKeyLabel, keyType: 'P-384' },
          vault,
        ),
        lists: {
          newest: () => Promise.resolve(null),
          newestHead: () => Promise.resolve(last),
          keep: (list) => {
            made.push(list);
            return Promise.resolve(true);
          },
        },
        clock,
        validityMs: days * DAY_MS,
        log: { info: () => undefined },
      });
      for (const each of revoked) {
        service.load({ ...each, notAfter, authority: 'root', state: 'revoked' });
      }
      await service.publish();
      const [list] = made;
      if (list === undefined) throw new Error('No revocation list was made.');
      return list;
    },
    /** ECDSA with SHA-384 over a text, DER: `openssl dgst -sha384 -verify` reads it. */
    signText: (text: string) => vault.sign(rootKeyLabel, Buffer.from(text, 'utf8'), 'SHA384'),
  };
}

export type OfflineRoot = Awaited<ReturnType<typeof openRoot>>;

/**
 * A certificate of the root that is to be revoked.
 *
 * @throws Error when the root did not issue it
 */
export function revocationOf(
  certificate: X509Certificate,
  root: Buffer,
  { reason, now }: { readonly reason: number; readonly now: Date },
): RevokedByRoot {
  const anchor = new X509Certificate(root);
  if (!certificate.checkIssued(anchor) || !certificate.verify(anchor.publicKey)) {
    throw new Error('The certificate to be revoked was not issued by this root.');
  }
  return {
    serial: certificate.serialNumber.toLowerCase(),
    reason,
    revokedAt: now.toISOString(),
  };
}
