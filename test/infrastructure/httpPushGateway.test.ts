import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { createHttpPushGateway } from '../../infrastructure/push/httpPushGateway.ts';
import { rejection } from '../support/assertions/rejection.ts';

const message = {
  documentNumber: '0b9d1c61-6f0f-4c5e-9a36-0d3c7a2f8b11',
  platform: 'FCM',
  pushToken: 'token of the phone',
  sessionId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
} as const;

describe('The push gateway over HTTP', () => {
  let server: Server;
  let url: string;
  let status: number | 'never';
  let received: { readonly request: IncomingMessage; readonly body: string }[];
  let calls: string[];

  before(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({ request, body });
        if (status !== 'never') response.writeHead(status, { location: '/elsewhere' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push`;
  });

  beforeEach(() => {
    received = [];
    calls = [];
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const gateway = (timeoutMs = 5000) =>
    createHttpPushGateway({
      url,
      token: 'secret',
      timeoutMs,
      onCalled: (outcome, seconds) => {
        expect(seconds).to.be.within(0, 5);
        calls.push(outcome);
      },
    });

  it('posts the message with its credential, and tells how long it took', async () => {
    status = 204;
    await gateway().notify(message);
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([message]);
    expect(received[0]?.request.headers.authorization).to.equal('Bearer secret');
    expect(calls).to.deep.equal(['204']);
  });

  it('is done with a phone the gateway does not know any more', async () => {
    status = 410;
    await gateway().notify(message);
    expect(calls).to.deep.equal(['410']);
  });

  for (const failure of [500, 429, 401] as const) {
    it(`is to be tried again after ${failure}`, async () => {
      status = failure;
      expect(await rejection(gateway().notify(message))).to.be.instanceOf(Unavailable);
      expect(calls).to.deep.equal([String(failure)]);
    });
  }

  it('is to be tried again when nobody answers in time', async () => {
    status = 'never';
    expect(await rejection(gateway(50).notify(message))).to.be.instanceOf(Unavailable);
    expect(calls).to.deep.equal(['error']);
  });

  it('follows no redirect with its credential', async () => {
    status = 307;
    expect(await rejection(gateway().notify(message))).to.be.instanceOf(Unavailable);
    expect(received).to.have.length(1);
  });
});
