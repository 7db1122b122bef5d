import { createRevocationChecker } from '../../../client/index.ts';
import {
  isWithinValidity,
  readCertificate,
} from '../../../infrastructure/pki/kernel/certificate.ts';
import { craftCrl, startRevocationServer } from '../../client/revocationSupport.ts';
import { issue, policy } from '../../client/support.ts';
import { isTaken } from './clockCases.ts';

const NOW = Math.floor(Date.now() / 1000) * 1000;
const at = (seconds: number) => new Date(NOW + seconds * 1000);

/** Makes cases of what the client library takes of this service. */
export async function clientLibrary() {
  const server = await startRevocationServer();
  const issuing = await issue({ name: 'Issuing', ca: true });
  const person = await issue({
    name: 'Person',
    usage: 'AUTH',
    policies: [policy.qcpN],
    issuer: issuing,
    crlUrl: server.crlUrl,
    notBefore: at(0),
    notAfter: at(3600),
  });
  const certificate = readCertificate(Buffer.from(person.derB64, 'base64'));
  const { x509: issuer } = readCertificate(Buffer.from(issuing.derB64, 'base64'));
  /** Tells whether a list of these times is taken. */
  const listed = (from: number, until: number) => {
    const list = craftCrl(issuing, [], { thisUpdate: at(from), nextUpdate: at(until) });
    server.crl = () => Promise.resolve(list);
    const check = createRevocationChecker({ sources: ['crl'], now: () => at(0) });
    return isTaken(() => check(certificate.x509, issuer));
  };
  const inForce = (now: Date) => isWithinValidity(certificate, { now, clockSkewMs: 0 });
  return {
    cases: {
      'certificates, in the client library': {
        ahead: (seconds: number) => inForce(at(-seconds)),
        late: (seconds: number) => inForce(at(3600 + seconds)),
      },
      'lists and OCSP answers, in the client library': {
        ahead: (seconds: number) => listed(seconds, seconds + 60),
        late: (seconds: number) => listed(-3600, -seconds),
      },
    },
    stop: () => server.stop(),
  };
}
