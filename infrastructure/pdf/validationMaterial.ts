import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { RevocationEvidence } from '../pki/revocationEvidence.ts';
import type { ServiceIdentities } from '../../application/certificate/ports/serviceIdentities.ts';
import { readTimestampToken } from '../timestamping/readTimestampToken.ts';
import type { ValidationMaterial } from './securityStore.ts';

export interface MaterialSources {
  readonly identities: ServiceIdentities;
  readonly evidence: RevocationEvidence;
  readonly clock: Clock;
  readonly authority: Pick<CertificateAuthority, 'issuer'>;
}

/** Cache time of OCSP responses about the platform's own certificates, ms. */
const REMEMBERED_MS = 10_000;

/** Gathers the validation material of a signature beyond the expiry of its certificates (EN 319 142-1 §5.4, B-LT). */
export interface MaterialGatherer {
  /**
   * @param signer serial of the signer's certificate, lower-case hexadecimal, the certificate, DER, and its CA
   * @param tokens timestamps of the document, DER
   * @throws Unavailable
   */
  gather(
    signer: {
      readonly serial: string;
      readonly certificate: Buffer;
      readonly authority: 'personal' | 'organization';
    },
    tokens: readonly Buffer[],
  ): Promise<ValidationMaterial>;
}

export function createMaterialGatherer(sources: MaterialSources): MaterialGatherer {
  const { identities, evidence, authority, clock } = sources;
  const remembered = new Map<
    string,
    { readonly answer: Promise<Buffer>; readonly until: number }
  >();

  /** Cached, since every stamp needs the same two certificates; citizens' statuses are requested each time. */
  function serviceResponse(serial: string): Promise<Buffer> {
    const now = clock.now().getTime();
    const known = remembered.get(serial);
    if (known !== undefined && now < known.until) return known.answer;
    const answer = evidence.ocspResponse('organization', serial);
    remembered.set(serial, { answer, until: now + REMEMBERED_MS });
    answer.catch(() => remembered.delete(serial));
    return answer;
  }

  return {
    async gather(signer, tokens) {
      const documentSigner = identities.current('DOCUMENT_SIGNER');
      const timestamper = identities.current('TSA');
      const sent = tokens.flatMap((token) => readTimestampToken(token).certificates);
      // An external authority is recognised by its certificate; it publishes its own revocation data.
      const isOurs = sent.some((certificate) => certificate.equals(timestamper.certificate));
      const services = isOurs ? [documentSigner, timestamper] : [documentSigner];
      const [rootList, ...responses] = await Promise.all([
        evidence.crl('root'),
        evidence.ocspResponse(signer.authority, signer.serial),
        ...services.map(({ serial }) => serviceResponse(serial)),
      ]);
      const responders = (['OCSP_PERSONAL', 'OCSP_ORGANIZATION'] as const).map(
        (purpose) => identities.current(purpose).certificate,
      );
      return {
        certificates: distinct([
          ...[signer.certificate, ...responders],
          ...caNames.map((name) => authority.issuer(name).certificate),
          ...services.map(({ certificate }) => certificate),
          ...sent,
        ]),
        ocspResponses: distinct(responses),
        crls: [rootList],
      };
    },
  };
}

const caNames = ['root', 'personal', 'organization'] as const;

function distinct(values: readonly Buffer[]): readonly Buffer[] {
  return [...new Map(values.map((value) => [value.toString('base64'), value])).values()];
}
