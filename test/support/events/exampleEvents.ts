import { randomUUID } from 'node:crypto';
import type { NewEvent } from '../../../application/ports/eventStore.ts';
import type {
  CertificateIssued,
  CertificateRequested,
} from '../../../domain/certificate/events.ts';
import type { CitizenEnrolled, Identity } from '../../../domain/citizen/events.ts';
import type { DeviceEnrolled } from '../../../domain/device/events.ts';
import type { RelyingPartyRegistered } from '../../../domain/relyingParty/events.ts';
import type {
  CertificateChosen,
  SessionConfirmed,
  SessionEvent,
  SessionExpired,
  SessionStarted,
} from '../../../domain/session/events.ts';
import type { DomainEvent } from '../../../domain/shared/decider.ts';
import { sha256Hex } from '../../../domain/shared/digest.ts';

// Well-formed events for tests; every builder takes what the test cares about.

/** Beginning of a certificate, long enough that nothing sealed reads the same by chance. */
export const exampleCertificate = 'MIIBkTCCATegAwIBAgIBATAKBggqhkjOPQQDAjAU';

export const bat: Identity = {
  givenName: 'Бат',
  surname: 'Дорж',
  familyName: 'Боржигон',
  givenNameLatin: 'Bat',
  surnameLatin: 'Dorj',
  registrationNumber: 'аа90010112',
  birthDate: '1990-01-01',
  gender: 'M',
  geId: 42,
};

/** `time`: ISO; default now. */
export function recordable(event: DomainEvent, time = new Date().toISOString()): NewEvent {
  return {
    id: randomUUID(),
    event,
    metadata: {
      time,
      actor: { kind: 'system', id: 'test' },
      correlationId: 'test',
      causationId: 'test',
      requestId: null,
      ip: null,
    },
  };
}

/** Starts now and may be answered for 150 s, unless `data` says otherwise. */
export function sessionStarted(
  sessionId: string,
  data: Partial<SessionStarted['data']> = {},
): SessionStarted {
  const now = Date.now();
  return {
    type: 'SessionStarted',
    data: {
      sessionId,
      kind: 'SIGNATURE',
      flow: 'NOTIFICATION',
      generation: 'G1',
      relyingPartyId: 'b8f0e0f4-0000-4000-8000-000000000001',
      relyingPartyName: 'Demo bank',
      registeredName: null,
      subsystem: null,
      civilId: '100000000001',
      documentNumber: null,
      certificateLevel: 'QUALIFIED',
      interactions: [{ type: 'displayTextAndPIN', displayText60: 'Loan' }],
      interactionsAsSent: null,
      rpChallenge: null,
      digest: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
      hashType: 'SHA256',
      vcType: 'alphaNumeric4',
      verificationCode: '0042',
      callbackUrl: null,
      fileName: null,
      onBehalfOf: null,
      deviceLink: null,
      nested: null,
      startedAt: new Date(now).toISOString(),
      answerBefore: new Date(now + 150_000).toISOString(),
      readableUntil: new Date(now + 600_000).toISOString(),
      openIdLogin: false,
      documents: null,
      documentTexts: null,
      riskSignals: null,
      ...data,
    },
  };
}

/** Events of a confirmed session over these digests, base64 SHA-256; default two. */
export function confirmedBatch(
  sessionId: string,
  data: Partial<SessionStarted['data']> = {},
  digests: readonly string[] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')),
): readonly SessionEvent[] {
  const documents = digests.map((digest) => ({ digest, hashType: 'SHA256' as const }));
  const texts = digests.map(() => ({ displayText60: 'Lease', fileName: null }));
  const confirmed = sessionConfirmed();
  const { documentNumber, civilId, signatureAlgorithm, certificateSerial } = confirmed.data;
  return [
    sessionStarted(sessionId, {
      digest: null,
      hashType: null,
      documents,
      documentTexts: texts,
      ...data,
    }),
    ...documents.map((document, index) => ({
      type: 'BatchDocumentSigned' as const,
      data: {
        documentNumber,
        civilId,
        signatureAlgorithm,
        certificateSerial,
        ...document,
        displayText60: 'Lease',
        fileName: null,
        position: index + 1,
        signature: Buffer.alloc(8, index).toString('base64'),
        signedAt: confirmed.data.completedAt,
      },
    })),
    confirmed,
  ];
}

export function sessionConfirmed(data: Partial<SessionConfirmed['data']> = {}): SessionConfirmed {
  return {
    type: 'SessionConfirmed',
    data: {
      documentNumber: 'd0000000-0000-4000-8000-000000000001',
      civilId: '100000000001',
      signature: 'MEUCIQ==',
      signatureAlgorithm: 'ecdsa-with-SHA256',
      certificateSerial: '0a',
      certificateLevel: 'QUALIFIED',
      interactionTypeUsed: 'displayTextAndPIN',
      nested: null,
      completedAt: new Date().toISOString(),
      ...data,
    },
  };
}

export function certificateChosen(): CertificateChosen {
  return {
    type: 'CertificateChosen',
    data: {
      documentNumber: 'd0000000-0000-4000-8000-000000000001',
      civilId: '100000000001',
      certificateSerial: '0a',
      certificateLevel: 'QUALIFIED',
      completedAt: new Date().toISOString(),
    },
  };
}

export function sessionExpired(): SessionExpired {
  return { type: 'SessionExpired', data: { completedAt: new Date().toISOString() } };
}

export function relyingPartyRegistered(
  relyingPartyId: string,
  data: Partial<RelyingPartyRegistered['data']> = {},
): RelyingPartyRegistered {
  return {
    type: 'RelyingPartyRegistered',
    data: {
      relyingPartyId,
      name: 'Demo "bank", {first}\\',
      callbackHosts: ['rp.example.com', 'b"c\\d,e'],
      ipAllowlist: [],
      clientCertificates: [],
      permissions: ['AUTH', 'SIGN'],
      firstParty: false,
      requestsPerMinute: 600,
      smartIdStatuses: false,
      webhooks: [],
      contactName: null,
      contactEmail: null,
      contactPhone: null,
      otherNames: false,
      secretHash: sha256Hex(relyingPartyId),
      registeredAt: '2026-01-01T00:00:00.000Z',
      ...data,
    },
  };
}

export function citizenEnrolled(civilId: string, identity: Identity = bat): CitizenEnrolled {
  return {
    type: 'CitizenEnrolled',
    data: {
      civilId,
      identity,
      enrolmentTokenHash: sha256Hex(civilId),
      documentNumber: 'd0000000-0000-4000-8000-000000000001',
      enrolledAt: '2026-01-01T00:00:00.000Z',
    },
  };
}

export function certificateRequested(
  serial: string,
  data: Partial<CertificateRequested['data']> = {},
): CertificateRequested {
  return {
    type: 'CertificateRequested',
    data: {
      serial,
      type: 'SIGN',
      level: 'QUALIFIED',
      keyType: 'P-256',
      keyLabel: null,
      holder: {
        kind: 'citizen',
        civilId: '100000000001',
        documentNumber: 'd0000000-0000-4000-8000-000000000001',
      },
      authority: 'personal',
      issuer: 'CN=Personal CA',
      publicKey: 'MFkw',
      notBefore: '2026-01-01T00:00:00.000Z',
      notAfter: '2029-01-01T00:00:00.000Z',
      requestedAt: '2026-01-01T00:00:00.000Z',
      ...data,
    },
  };
}

export function certificateIssued(serial: string, civilId = '100000000001'): CertificateIssued {
  return {
    type: 'CertificateIssued',
    data: {
      serial,
      civilId,
      certificate: exampleCertificate,
      fingerprint: sha256Hex(serial),
      issuedAt: '2026-01-01T00:00:00.000Z',
    },
  };
}

export function deviceEnrolled(
  documentNumber: string,
  data: Partial<DeviceEnrolled['data']> = {},
): DeviceEnrolled {
  return {
    type: 'DeviceEnrolled',
    data: {
      documentNumber,
      civilId: '100000000001',
      platform: 'FCM',
      pushToken: 'token',
      transportKey: 'MFkw',
      authenticationSerial: '0b',
      signingSerial: '0a',
      enrolledAt: '2026-01-01T00:00:00.000Z',
      ...data,
    },
  };
}
