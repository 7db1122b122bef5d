import { request as httpRequest, Agent } from 'node:http';
import { derValue } from '../../../infrastructure/pki/kernel/der.ts';
import type { ChildServer } from './childServer.ts';
import type { requestWriter } from './ocspCertificates.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const headers = { 'content-type': 'application/ocsp-request' };

function post(port: number, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { port, host: '127.0.0.1', method: 'POST', path: '/ocsp', agent, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks));
          else reject(new Error(`HTTP ${String(response.statusCode)}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Sends each request once, so that every response is prepared. */
export async function warmUp(port: number, requests: readonly Buffer[]): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (let body = requests[next++]; body !== undefined; body = requests[next++]) {
        await post(port, body);
      }
    }),
  );
}

/** Encoding of RevokedInfo's reason keyCompromise, which occurs nowhere else in a response. */
const keyCompromise = derValue(0xa0, derValue(0x0a, Buffer.from([1])));

/**
 * Revokes the certificates of enrolled citizens one by one, querying the status of each
 * continuously.
 *
 * @returns times from the acknowledged append to the first response with status revoked, ms
 */
export async function revocationDelays(
  service: ChildServer,
  write: ReturnType<typeof requestWriter>,
): Promise<readonly number[]> {
  const serials = await service.ask<readonly string[]>('validSerials');
  const delays: number[] = [];
  for (const serial of serials) {
    const request = write(serial);
    await post(service.port, request);
    await service.ask('startStamping');
    const revoked = service.ask('revoke', serial);
    let seenAt = 0;
    while (seenAt === 0) {
      const answer = await post(service.port, request);
      if (answer.includes(keyCompromise)) seenAt = Number(process.hrtime.bigint()) / 1e6;
    }
    await revoked;
    const stamps = await service.ask<readonly (readonly [string, number])[]>('takeStamps');
    const durable = stamps.find(([stream]) => stream === `certificate-${serial}`)?.[1];
    if (durable !== undefined) delays.push(seenAt - durable);
  }
  return delays;
}
