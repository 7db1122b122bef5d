import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type HttpConnection, jsonOf, requestBytes } from './httpConnection.ts';

/** A citizen of the bench, as in the civil registry. */
export interface BenchCitizen {
  /** 12 digits. */
  readonly civilId: string;
  readonly registrationNumber: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

/** An enrolled phone that only confirms, as cheaply as possible. */
export interface BenchPhone {
  readonly documentNumber: string;
  /**
   * Prepares the confirmation of sessions with this challenge: the signature does not depend on the
   * session.
   */
  prepare(rpChallenge: Buffer): PreparedConfirmation;
  /** Whole HTTP request that confirms a session, with a fresh proof. */
  confirmRequest(sessionId: string, confirmation: PreparedConfirmation): string;
}

export interface PreparedConfirmation {
  /** JSON text. */
  readonly body: string;
  /** base64url SHA-256 of it. */
  readonly bodyHash: string;
}

interface Key {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
}

/** Verifies an identity by the citizen card and enrols a phone, over HTTP. */
export async function enrolPhone(
  connection: HttpConnection,
  citizen: BenchCitizen,
): Promise<BenchPhone> {
  const card = {
    identifier: citizen.civilId,
    cardNumber: citizen.cardNumber,
    birthDate: citizen.birthDate,
  };
  const enrolmentToken = await verifyByCitizenCard(connection, card);
  const keys = { authentication: newKey(), signing: newKey(), transport: newKey() };
  const proven = (name: keyof typeof keys) => ({
    publicKey: keys[name].publicKey.toString('base64'),
    proof: sign(
      'sha256',
      lengthPrefixed(
        Buffer.from('TAMGA_ENROL_V1'),
        createHash('sha256').update(enrolmentToken).digest(),
        Buffer.from(name),
        keys[name].publicKey,
      ),
      keys[name].privateKey,
    ).toString('base64'),
  });
  const { documentNumber } = jsonOf<{ documentNumber: string }>(
    await connection.send(
      requestBytes(
        'POST',
        '/v3/device/enrolments',
        {},
        JSON.stringify({
          enrolmentToken,
          platform: 'SIM',
          certificateLevel: 'QUALIFIED',
          keys: {
            authentication: proven('authentication'),
            signing: proven('signing'),
            transport: proven('transport'),
          },
        }),
      ),
    ),
  );
  return benchPhone(documentNumber, keys.authentication, keys.transport.privateKey);
}

/** @returns the one-time enrolment token */
async function verifyByCitizenCard(connection: HttpConnection, card: object): Promise<string> {
  const root = '/v3/kyc/verifications';
  const start = JSON.stringify({ method: 'citizenCard' });
  const { verification, secret } = jsonOf<{
    verification: { verificationId: string };
    secret: string;
  }>(await connection.send(requestBytes('POST', root, {}, start)), 201);
  const step = `${root}/${verification.verificationId}/steps/citizen-card`;
  const headers = { authorization: `Bearer ${secret}` };
  const { verified } = jsonOf<{ verified: { enrolmentToken: string } }>(
    await connection.send(requestBytes('POST', step, headers, JSON.stringify(card))),
  );
  return verified.enrolmentToken;
}

function benchPhone(documentNumber: string, authentication: Key, transport: KeyObject): BenchPhone {
  const head = segment({ typ: 'dpop+jwt', alg: 'ES256', kid: documentNumber });
  const nonce = randomBytes(12).toString('base64url');
  let calls = 0;

  /** `DPoP` header: a compact JWS over method, path, body hash, time and a fresh nonce. */
  function proof(path: string, bodyHash: string): string {
    calls += 1;
    const claims = segment({
      htm: 'POST',
      path,
      iat: Math.floor(Date.now() / 1000),
      jti: `${nonce}${String(calls).padStart(8, '0')}`,
      bh: bodyHash,
    });
    const signed = `${head}.${claims}`;
    const key = { key: transport, dsaEncoding: 'ieee-p1363' } as const;
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  }

  return {
    documentNumber,
    prepare: (rpChallenge) => {
      const payload = lengthPrefixed(Buffer.from('ACSP_V2'), rpChallenge, authentication.publicKey);
      const body = JSON.stringify({
        verificationCode: verificationCode(rpChallenge),
        signature: sign('sha256', payload, authentication.privateKey).toString('base64'),
        interactionTypeUsed: 'displayTextAndPIN',
      });
      return { body, bodyHash: createHash('sha256').update(body).digest('base64url') };
    },
    confirmRequest: (sessionId, { body, bodyHash }) => {
      const path = `/v3/device/sessions/${sessionId}/confirm`;
      return requestBytes('POST', path, { DPoP: proof(path, bodyHash) }, body);
    },
  };
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }) };
}

function verificationCode(challenge: Buffer): string {
  const hash = createHash('sha256').update(challenge).digest();
  return String(hash.readUInt16BE(30) % 10000).padStart(4, '0');
}

function lengthPrefixed(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return [length, part];
    }),
  );
}

function segment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
