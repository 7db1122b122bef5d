import { createHash, sign, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noRevocations } from '../../../infrastructure/passport/countryRevocations.ts';
import { readCountryAuthorities } from '../../../infrastructure/passport/countryAuthorities.ts';
import { dataGroup1 } from '../../../infrastructure/passport/demo/passportPage.ts';
import { verifyPassport } from '../../../infrastructure/passport/verifyPassport.ts';
import { createOcspClient } from '../../../infrastructure/pki/ocsp/client.ts';
import {
  isWithinValidity,
  readCertificate,
} from '../../../infrastructure/pki/kernel/certificate.ts';
import { readOcspRequest } from '../../../infrastructure/pki/ocsp/request.ts';
import {
  answerTime,
  derStatus,
  responderTemplate,
  responseData,
  signedResponse,
} from '../../../infrastructure/pki/ocsp/response.ts';
import { certificatePem } from '../../../infrastructure/pki/trustFiles.ts';
import { createTimestampClient } from '../../../infrastructure/timestamping/timestampClient.ts';
import {
  createCountryAuthority,
  createDocumentSigner,
  dataGroup2,
  securityObject,
  specimen,
  specimenDay,
} from '../passport/passports.ts';
import { createPersonalAuthority } from '../pki/personalAuthority.ts';
import { startTestTimestampAuthority } from '../pki/timestampAuthority.ts';
import { type ClockCases, isTaken } from './clockCases.ts';
import { systemRandomness } from '../../../infrastructure/system.ts';

/** This machine's clock: a whole second. */
const NOW = Math.floor(Date.now() / 1000) * 1000;
const at = (seconds: number) => ({ now: () => new Date(NOW + seconds * 1000) });

/** Makes cases of what other authorities made, and this service takes. */
export async function madeElsewhere() {
  const timestamps = await startTestTimestampAuthority({ clock: at(0) });
  const others = await createPersonalAuthority();
  const delegate = await others.responder();
  const { publicKeyBits } = readCertificate(delegate.certificate);
  const keyHash = createHash('sha1').update(publicKeyBits).digest();
  /** Answers to requests, at the path of their kind. */
  let respond: (path: string, request: Buffer) => Promise<Buffer> | Buffer = () => Buffer.alloc(0);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void Promise.resolve(respond(request.url ?? '', Buffer.concat(chunks))).then((bytes) =>
        response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(bytes),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const leaf = await others.person({ serialNumbers: ['УБ85031512'], responder: `${url}/ocsp` });

  /** Tells whether a timestamp is taken where this clock differs from the authority's. */
  /** Seconds the authority says it may be wrong by; they count as skew. */
  const STATED_ACCURACY = 1;
  const timestamped = (seconds: number) => {
    respond = (_, request) => timestamps.authority.answer(request);
    const client = createTimestampClient({
      urls: [`${url}/tsa`],
      trust: { anchors: [timestamps.root] },
      policy: null,
      clock: at(seconds),
      randomness: systemRandomness,
      timeoutMs: 10_000,
    });
    return isTaken(() => client.timestamp(Buffer.alloc(32), 'SHA256'));
  };

  /** Tells whether an answer of these times is taken at another; a delegate signs it. */
  const answered = (from: number, until: number, now = 0) => {
    respond = (_, request) => {
      const { certificates, nonce } = readOcspRequest(request);
      const status = derStatus({ revocation: null });
      const template = responderTemplate(keyHash, delegate.certificate, new Date(NOW));
      const singles = certificates.map(({ bytes: id }) => ({ id, status }));
      const time = answerTime(at(from).now(), at(until).now());
      const data = responseData(template, singles, time, nonce);
      return signedResponse(template, data, sign('sha256', data, delegate.privateKey));
    };
    const client = createOcspClient({ clock: at(now), timeoutMs: 10_000 });
    return isTaken(() => client.isRevoked(leaf.certificate, others.issuing));
  };
  const isLeafInForce = (seconds: number) =>
    isWithinValidity(readCertificate(leaf.certificate), { now: at(seconds).now(), clockSkewMs: 0 });
  const delegated = (now: number) => answered(now, now + 60, now);
  const { validFrom, validTo } = new X509Certificate(delegate.certificate);
  const sinceNow = (text: string) => Math.round((Date.parse(text) - NOW) / 1000);

  const cases: ClockCases = {
    'time of a timestamp of another authority': {
      ahead: (seconds) => timestamped(STATED_ACCURACY - seconds),
      late: (seconds) => timestamped(seconds - STATED_ACCURACY),
    },
    'OCSP answers of other authorities': {
      ahead: (seconds) => answered(seconds, seconds + 60),
      late: (seconds) => answered(-60, -seconds),
    },
    'certificates of other OCSP responders': {
      ahead: (seconds) => delegated(sinceNow(validFrom) - seconds),
      late: (seconds) => delegated(sinceNow(validTo) + seconds),
    },
    'certificates of people of other authorities': {
      ahead: (seconds) => isLeafInForce(sinceNow(validFrom) - seconds),
      late: (seconds) => isLeafInForce(sinceNow(validTo) + seconds),
    },
    'revocation lists of countries': {
      heldBy: [
        'infrastructure/countryRevocations',
        'say so when they are overdue, too, but not what is in force then',
      ],
    },
    'signing time in a passport': { ahead: (seconds) => isTaken(() => passport(seconds)) },
  };
  return {
    cases,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await timestamps.stop();
    },
  };
}

/** Verifies a passport whose signer's clock is so many seconds ahead. @throws PassportRejected */
function passport(seconds: number): void {
  const authority = createCountryAuthority();
  const signer = createDocumentSigner(authority);
  const dataGroups = new Map([
    [1, dataGroup1(specimen.TD3)],
    [2, dataGroup2],
  ]);
  const signedAt = new Date(specimenDay.getTime() + seconds * 1000);
  verifyPassport({
    zone: specimen.TD3,
    files: {
      securityObject: securityObject(signer, dataGroups, { signedAt }),
      dataGroups,
      chipSignature: null,
    },
    authorities: readCountryAuthorities(Buffer.from(certificatePem(authority.certificate))),
    revocations: noRevocations,
    challenge: Buffer.alloc(8),
    chipProof: 'offered',
    now: specimenDay,
  });
}
