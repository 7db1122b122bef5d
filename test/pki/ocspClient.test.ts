import { createHash, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { readCertificate } from '../../infrastructure/pki/kernel/certificate.ts';
import { createOcspClient } from '../../infrastructure/pki/ocsp/client.ts';
import { readOcspRequest } from '../../infrastructure/pki/ocsp/request.ts';
import {
  answerTime,
  derStatus,
  responderTemplate,
  responseData,
  signedResponse,
} from '../../infrastructure/pki/ocsp/response.ts';
import { createPersonalAuthority } from '../support/pki/personalAuthority.ts';
import { rejection } from '../support/assertions/rejection.ts';

const DAY_MS = 86_400_000;

describe('The OCSP client of the server', () => {
  let server: Server;
  let respond: (request: Buffer) => Buffer;
  let ask: (answer?: { readonly keyHash?: Buffer; readonly daysOld?: number }) => Promise<boolean>;

  before(async () => {
    const others = await createPersonalAuthority();
    const delegate = await others.responder();
    const { publicKeyBits } = readCertificate(delegate.certificate);
    const rightHash = createHash('sha1').update(publicKeyBits).digest();
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => response.end(respond(Buffer.concat(chunks))));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const responder = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const leaf = await others.person({ serialNumbers: ['УБ85031512'], responder });
    ask = ({ keyHash = rightHash, daysOld = 0 } = {}) => {
      const now = new Date();
      respond = (request) => {
        const { certificates, nonce } = readOcspRequest(request);
        const singles = certificates.map(({ bytes: id }) => ({
          id,
          status: derStatus({ revocation: null }),
        }));
        const template = responderTemplate(keyHash, delegate.certificate, now);
        const from = new Date(now.getTime() - daysOld * DAY_MS);
        const time = answerTime(from, new Date(now.getTime() + DAY_MS));
        const data = responseData(template, singles, time, nonce);
        return signedResponse(template, data, sign('sha256', data, delegate.privateKey));
      };
      const client = createOcspClient({ clock: { now: () => now } });
      return client.isRevoked(leaf.certificate, others.issuing);
    };
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('takes an answer of its time, by the responder it names', async () => {
    expect(await ask()).to.equal(false);
    expect(await ask({ daysOld: 9 })).to.equal(false);
  });

  it('refuses an answer older than ten days, whatever it says of its nextUpdate', async () => {
    expect(await rejection(ask({ daysOld: 11 }))).to.be.instanceOf(Unavailable);
  });

  it('refuses an answer that names another responder than the one that signed it', async () => {
    expect(await rejection(ask({ keyHash: Buffer.alloc(20) }))).to.be.instanceOf(Unavailable);
  });
});
