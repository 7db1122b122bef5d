import {
  answererOf,
  chooseCertificate,
  confirmSession,
  type ConfirmSessionDependencies,
  loadSessionFor,
  phoneReasons,
  refuseSession,
} from '../../application/device/sessionAnswer.ts';
import { deviceStatus } from '../../application/device/deviceStatus.ts';
import { endDevice, type EndDeviceDependencies } from '../../application/certificate/revocation.ts';
import { enrolDevice, type EnrolDeviceDependencies } from '../../application/device/enrolDevice.ts';
import {
  openDeviceLink,
  type OpenDeviceLinkDependencies,
} from '../../application/device/openDeviceLink.ts';
import {
  type InboxDependencies,
  readInbox,
  readSession,
} from '../../application/device/readSession.ts';
import {
  disownDevice,
  type NoticeDependencies,
  readNotices,
} from '../../application/device/notices.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { DeviceData } from '../../application/ports/referenceData.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { anyone, asApplicant, commandContext } from '../http/handling.ts';
import { type Guard, type RequestContext, type Route, route } from '../http/route.ts';
import {
  deactivatedAnswer,
  deviceAnswer,
  disownedAnswer,
  endedAnswer,
  inboxAnswer,
  lockedPinsAnswer,
  noticesAnswer,
  phonesAnswer,
  sessionDetailsAnswer,
} from './answerSchemas.ts';
import { sentSignals } from '../schemas/riskSignals.ts';
import { historyRoute } from './historyRoute.ts';
import type { OwnHistoryReader } from '../me/ownHistory.ts';
import { createDeviceGuard, type DeviceProofDependencies } from './deviceProof.ts';
import { z } from 'zod';
import { devicePins, devicePlatforms } from '../../domain/device/events.ts';
import { batchSize } from '../../domain/session/batch.ts';
import { flowTypes } from '../../domain/session/events.ts';
import { mayAnswer } from '../../domain/session/session.ts';
import type { SessionSteps } from '../../application/session/sessionSteps.ts';

export type DeviceRouteDependencies = EnrolDeviceDependencies &
  InboxDependencies &
  ConfirmSessionDependencies &
  OpenDeviceLinkDependencies &
  EndDeviceDependencies &
  NoticeDependencies &
  DeviceProofDependencies & {
    readonly ownHistory: OwnHistoryReader;
    /** Default: nobody is told how far a request came. */
    readonly steps?: Pick<SessionSteps, 'reached'>;
  };

export type ConfirmRouteDependencies = ConfirmSessionDependencies & DeviceProofDependencies;

/** Route by which a phone confirms a session. @param device guard of the phone, shared by its routes */
export function confirmRoute(
  dependencies: ConfirmRouteDependencies,
  device: Guard<DeviceData>,
): Route {
  return route({
    name: 'device_confirm',
    summary: "Confirm a session with a signature by the phone's key for it",
    method: 'POST',
    path: '/v3/device/sessions/:sessionId/confirm',
    guard: device,
    params: sessionPath,
    body: confirmBody,
    response: { 200: endedAnswer },
    handle: async ({ principal, params: { sessionId }, body, context }) => {
      const endResult = await confirmSession(
        dependencies,
        { device: principal, sessionId, confirmation: body },
        asDevice(context, principal, sessionId),
      );
      return { body: { sessionId, state: 'COMPLETE', endResult } };
    },
  });
}

/** Device API: enrolment, inbox, sessions. */
export function createDeviceRoutes(dependencies: DeviceRouteDependencies): readonly Route[] {
  const { clock, steps } = dependencies;
  const device = createDeviceGuard(dependencies);

  return [
    route({
      name: 'device_enrolments',
      summary: 'Enrol a phone: certify its PIN1 and PIN2 keys, and record its transport key',
      method: 'POST',
      path: '/v3/device/enrolments',
      underLoad: 'refuseFirst',
      guard: anyone,
      body: enrolmentBody,
      response: { 200: deviceAnswer },
      handle: async ({ body, context }) => {
        const { enrolmentToken: token, certificateLevel: level, ...rest } = body;
        const enrolled = await enrolDevice(
          dependencies,
          { token, level, ...rest },
          asApplicant(context),
        );
        return { body: deviceStatus(enrolled, clock.now()) };
      },
    }),
    route({
      name: 'device',
      summary: "Get the calling phone's own state and certificates",
      method: 'GET',
      path: '/v3/device',
      guard: device,
      response: { 200: deviceAnswer },
      handle: async ({ principal }) => {
        const { state } = await dependencies.devices.load(principal.documentNumber);
        const lockedPins = state.status === 'NONE' ? [] : state.lockedPins;
        return { body: deviceStatus(principal, clock.now(), lockedPins) };
      },
    }),
    route({
      name: 'device_phones',
      summary: "List the owner's usable phones, newest first",
      method: 'GET',
      path: '/v3/device/phones',
      guard: device,
      response: { 200: phonesAnswer },
      handle: async ({ principal }) => {
        const found = await dependencies.referenceData.activeDevicesOf(principal.civilId);
        const phones = found.map(async ({ documentNumber, platform }) => {
          const { state } = await dependencies.devices.load(documentNumber);
          const enrolledAt = state.status === 'NONE' ? null : state.enrolled.enrolledAt;
          const isThis = documentNumber === principal.documentNumber;
          return { documentNumber, platform, enrolledAt, isThis };
        });
        return { body: { phones: await Promise.all(phones) } };
      },
    }),
    historyRoute(device, dependencies.ownHistory),
    route({
      name: 'device_pin_locked',
      summary: 'Report that a PIN was entered wrongly too often; its key is lost for good',
      method: 'POST',
      path: '/v3/device/pins/:pin/locked',
      guard: device,
      params: pinPath,
      response: { 200: lockedPinsAnswer },
      handle: async ({ principal: { documentNumber }, principal, params: { pin }, context }) => {
        const command = { type: 'LockPin', pin, now: clock.now().toISOString() } as const;
        const by = asDevice(context, principal, documentNumber);
        const { state } = await dependencies.devices.handle(documentNumber, command, by);
        const lockedPins = state.status === 'NONE' ? [] : state.lockedPins;
        return { body: { documentNumber, lockedPins } };
      },
    }),
    route({
      name: 'device_inbox',
      summary: 'Wait for sessions that this phone is asked to answer',
      method: 'GET',
      path: '/v3/device/inbox',
      guard: device,
      query: inboxQuery,
      response: { 200: inboxAnswer },
      handle: async ({ principal, query, context }) => {
        const onGone = (callback: () => void) => context.onGone(callback);
        const { sessions, ended } = await readInbox(dependencies, principal, { ...query, onGone });
        for (const sessionId of sessions) steps?.reached(sessionId, 'DELIVERED');
        const named = (ids: readonly string[]) => ids.map((sessionId) => ({ sessionId }));
        return { body: { sessions: named(sessions), ended: named(ended) } };
      },
    }),
    route({
      name: 'device_notices',
      summary:
        "List notices for the owner: other phones, and changed rights in the owner's organizations",
      method: 'GET',
      path: '/v3/device/notices',
      guard: device,
      response: { 200: noticesAnswer },
      handle: async ({ principal }) => ({
        body: { notices: await readNotices(dependencies, principal) },
      }),
    }),
    route({
      name: 'device_disown',
      summary:
        'Answer a notice with "It was not me", signed with PIN1: end that phone and block enrolment for a time',
      method: 'POST',
      path: '/v3/device/notices/:noticeId/disown',
      guard: device,
      params: noticePath,
      body: disownBody,
      response: { 200: disownedAnswer },
      handle: async ({ principal: device, params: { noticeId }, body: { signature }, context }) => {
        const by = asDevice(context, device, noticeId);
        return { body: await disownDevice(dependencies, { device, noticeId, signature }, by) };
      },
    }),
    route({
      name: 'device_links',
      summary: 'Open the session of a signed device link and claim it for this phone',
      method: 'POST',
      path: '/v3/device/links',
      guard: device,
      body: linkBody,
      response: { 200: sessionDetailsAnswer },
      handle: async ({ principal, body: { link, ...can }, context }) => ({
        body: await openDeviceLink(dependencies, principal, { link, can }, (sessionId) =>
          asDevice(context, principal, sessionId),
        ),
      }),
    }),
    route({
      name: 'device_session',
      summary: 'Get what to show and sign; opening a device link claims it for this phone',
      method: 'GET',
      path: '/v3/device/sessions/:sessionId',
      guard: device,
      params: sessionPath,
      query: sessionQuery,
      response: { 200: sessionDetailsAnswer },
      handle: async ({ principal, params: { sessionId }, query: can, context }) => {
        const as = asDevice(context, principal, sessionId);
        const body = await readSession(dependencies, principal, { sessionId, can }, as);
        steps?.reached(sessionId, 'OPENED');
        return { body };
      },
    }),
    route({
      name: 'device_pin_entry',
      summary: 'Report that the PIN field of a session is shown: a hint for the page that waits',
      method: 'POST',
      path: '/v3/device/sessions/:sessionId/pin-entry',
      underLoad: 'refuseFirst',
      guard: device,
      params: sessionPath,
      response: { 204: null },
      handle: async ({ principal, params: { sessionId } }) => {
        const by = answererOf(principal);
        await loadSessionFor(dependencies.sessions, sessionId, (each) => mayAnswer(each, by));
        steps?.reached(sessionId, 'PIN_ENTRY');
        return { status: 204 };
      },
    }),
    confirmRoute(dependencies, device),
    route({
      name: 'device_certificate',
      summary: "Answer a certificate choice with this phone's signing certificate",
      method: 'POST',
      path: '/v3/device/sessions/:sessionId/certificate',
      guard: device,
      params: sessionPath,
      response: { 200: endedAnswer },
      handle: async ({ principal, params: { sessionId }, context }) => {
        const endResult = await chooseCertificate(
          dependencies,
          { device: principal, sessionId },
          asDevice(context, principal, sessionId),
        );
        return { body: { sessionId, state: 'COMPLETE', endResult } };
      },
    }),
    route({
      name: 'device_refuse',
      summary: 'End a session without a signature: the citizen refused, or the phone cannot sign',
      method: 'POST',
      path: '/v3/device/sessions/:sessionId/refuse',
      guard: device,
      params: sessionPath,
      body: refuseBody,
      response: { 200: endedAnswer },
      handle: async ({ principal, params: { sessionId }, body, context }) => {
        const endResult = await refuseSession(
          dependencies,
          { device: principal, sessionId, ...body },
          asDevice(context, principal, sessionId),
        );
        return { body: { sessionId, state: 'COMPLETE', endResult } };
      },
    }),
    route({
      name: 'device_deactivate',
      summary: 'End this phone for good and revoke its certificates',
      method: 'POST',
      path: '/v3/device/deactivate',
      guard: device,
      response: { 200: deactivatedAnswer },
      handle: async ({ principal, context }) => {
        const { documentNumber } = principal;
        const by = asDevice(context, principal, documentNumber);
        // The owner gives the device up; its keys are not compromised.
        await endDevice(dependencies, documentNumber, revocationReasons.cessationOfOperation, by);
        return { body: { documentNumber, active: false } };
      },
    }),
  ];
}

function asDevice(
  context: RequestContext,
  { documentNumber }: DeviceData,
  correlationId: string,
): CommandContext {
  return commandContext(context, { kind: 'device', id: documentNumber }, correlationId);
}

// Request schemas of the device API. Size limits are generous upper bounds of valid values.

const base64 = (maxLength: number) =>
  z
    .base64()
    .min(1)
    .max(maxLength)
    .transform((text) => Buffer.from(text, 'base64'));

/** Longest long poll of the inbox, ms. */
const MAX_WAIT = 120_000;
const DEFAULT_WAIT = 30_000;
/** Most sessions a phone can report as seen. */
const MAX_SEEN = 20;

const sessionPath = z.object({ sessionId: z.uuid().toLowerCase() });

const ability = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** Abilities of the phone's app. */
const sessionQuery = z.object({
  batch: ability.meta({ description: 'True if the phone can show and sign several documents' }),
  signals: ability.meta({ description: 'True if the phone can show and share risk signals' }),
});

const noticePath = z.object({ noticeId: z.uuid().toLowerCase() });

/** Signature with PIN1 over what is to be ended. */
const disownBody = z.object({ signature: base64(1024) });

const pinPath = z.object({ pin: z.enum(devicePins) });

const inboxQuery = z.object({
  timeoutMs: z.coerce
    .number()
    .int()
    .default(DEFAULT_WAIT)
    .transform((wanted) => Math.min(Math.max(wanted, 0), MAX_WAIT)),
  seen: z
    .string()
    .max(MAX_SEEN * 37)
    .default('')
    .transform((text) => text.split(',').filter((id) => id !== '')),
});

const key = z.object({ publicKey: base64(1200), proof: base64(1024) });

const enrolmentBody = z.object({
  enrolmentToken: z.string().min(1).max(100),
  platform: z.enum(devicePlatforms),
  pushToken: z.string().min(1).max(512).nullable().default(null),
  certificateLevel: z.enum(['ADVANCED', 'QUALIFIED']).default('QUALIFIED'),
  keys: z.object({ authentication: key, signing: key, transport: key }),
});

/** A signed device link, as scanned, and the abilities of the phone's app. */
const linkBody = z.object({
  link: z.string().min(1).max(2048),
  batch: z
    .boolean()
    .default(false)
    .meta({ description: 'True if the phone can show and sign several documents' }),
  signals: z
    .boolean()
    .default(false)
    .meta({ description: 'True if the phone can show and share risk signals' }),
});

const confirmBody = z
  .object({
    verificationCode: z.string().regex(/^\d{4,5}$/),
    signature: base64(1024).nullable().default(null),
    signatures: z.array(base64(1024)).min(1).max(batchSize.atMost).nullable().default(null).meta({
      description: 'For a batch, instead of signature: one for each document, in the same order',
    }),
    interactionTypeUsed: z.string().min(1).max(64),
    flowType: z.enum(flowTypes).nullable().default(null),
    userChallenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'Must be base64url of 32 bytes.')
      .nullable()
      .default(null),
    riskSignals: sentSignals.nullable().default(null).meta({
      description:
        'If the session requests signals and the citizen agrees: the requested signals, null for those the phone does not know; null if the citizen shares none',
    }),
  })
  .refine(
    ({ signature, signatures }) => (signature ?? null) !== null || (signatures ?? null) !== null,
    {
      path: ['signature'],
      message: 'Send the signature, or the signatures of a batch.',
      // Names the missing field beside faults of the others.
      when: ({ value }) => typeof value === 'object' && value !== null,
    },
  );

const refuseBody = z.object({
  reason: z.enum(phoneReasons),
  interaction: z.string().min(1).max(64).nullable().default(null),
});
