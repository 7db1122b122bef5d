import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { type ChildServer, startChildServer } from './childServer.ts';
import type { VirtualUser } from './cycle.ts';
import { jsonOf, openHttp, requestBytes } from './httpConnection.ts';

/** The naive reference server in its own process, and its virtual users. */
export interface NaiveService {
  readonly server: ChildServer;
  /** Connects a virtual user. */
  user(): Promise<VirtualUser>;
}

const RELYING_PARTY = randomUUID();

/** Starts the naive reference server on a database of its own. */
export async function startNaiveService(databaseUrl: string): Promise<NaiveService> {
  const secret = randomBytes(32).toString('base64url');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = await startChildServer({
    module: new URL('../peers/naiveServer.js', import.meta.url),
    settings: {
      databaseUrl,
      secretHash: createHash('sha256').update(secret).digest('hex'),
      publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  });
  const headers = { Authorization: `Bearer ${secret}` };

  async function user(): Promise<VirtualUser> {
    const relyingParty = await openHttp({ port: server.port });
    const phone = await openHttp({ port: server.port });
    const challenge = randomBytes(32);
    // The payload is known in advance, so the load generator need not compute the phone's
    // signature.
    const confirmation = JSON.stringify({
      verificationCode: '0000',
      signature: sign('sha256', challenge, privateKey).toString('base64'),
    });
    const create = requestBytes(
      'POST',
      '/session',
      headers,
      JSON.stringify({
        relyingPartyUUID: RELYING_PARTY,
        relyingPartyName: 'Bench',
        certificateLevel: 'QUALIFIED',
        signatureProtocol: 'ACSP_V2',
        rpChallenge: challenge.toString('base64'),
        interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in to the bench' }],
      }),
    );
    return {
      cycle: async () => {
        const { sessionID } = jsonOf<{ sessionID: string }>(await relyingParty.send(create));
        const polled = relyingParty.send(
          requestBytes('GET', `/session/${sessionID}?timeoutMs=30000`, headers),
        );
        const confirmed = phone.send(
          requestBytes('POST', `/session/${sessionID}/confirm`, headers, confirmation),
        );
        jsonOf(await confirmed);
        const { state } = jsonOf<{ state: string }>(await polled);
        if (state !== 'COMPLETE') throw new Error(`The naive poll answered ${state}.`);
      },
      close: () => {
        relyingParty.close();
        phone.close();
      },
    };
  }

  return { server, user };
}
