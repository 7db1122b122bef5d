import { z } from 'zod';
import { VERIFICATION_INTERVAL } from '../../application/signals/manageStreams.ts';
import {
  type SignalStream,
  streamStatuses,
} from '../../application/signals/ports/signalStreams.ts';
import { deliveredTypes } from '../../application/signals/signalsOf.ts';
import { signalsRoot, supportedTypes } from '../../domain/oidcClient/signals.ts';

// Names are those of SSF 1.0 §7.1 and §8, and RFC 8936 §2.

/** Paths of the endpoints of streams. */
export const streamPaths = {
  configuration: `${signalsRoot}/streams`,
  status: `${signalsRoot}/status`,
  addSubject: `${signalsRoot}/subjects/add`,
  removeSubject: `${signalsRoot}/subjects/remove`,
  verification: `${signalsRoot}/verify`,
  poll: `${signalsRoot}/poll`,
} as const;

export const deliveryMethods = {
  push: 'urn:ietf:rfc:8935',
  poll: 'urn:ietf:rfc:8936',
} as const;

const texts = z.array(z.string());

export const configurationAnswer = z
  .strictObject({
    spec_version: z.string(),
    issuer: z.string(),
    jwks_uri: z.string(),
    delivery_methods_supported: texts,
    configuration_endpoint: z.string(),
    status_endpoint: z.string(),
    add_subject_endpoint: z.string(),
    remove_subject_endpoint: z.string(),
    verification_endpoint: z.string(),
    authorization_schemes: z.array(z.strictObject({ spec_urn: z.string() })),
    default_subjects: z.string(),
  })
  .meta({ id: 'SignalTransmitter' });

const method = z.enum(deliveryMethods);

export const streamAnswer = z
  .strictObject({
    stream_id: z.string(),
    iss: z.string(),
    aud: z.string().meta({ description: 'client_id' }),
    delivery: z.strictObject({
      method,
      endpoint_url: z.string(),
      authorization_header: z.string().optional().meta({ description: 'Only with ssf.manage' }),
    }),
    events_supported: texts,
    events_requested: texts.optional(),
    events_delivered: texts,
    min_verification_interval: z.int().meta({ description: 'Seconds' }),
    description: z.string().optional(),
  })
  .meta({ id: 'SignalStream' });

/** A stream as its client sees it. @param isManaged false: to one that may only read it, without the header of push */
export function supplied(
  stream: SignalStream,
  iss: string,
  isManaged: boolean,
): z.output<typeof streamAnswer> {
  const { streamId, clientId, eventsRequested, description, push } = stream;
  const header = isManaged ? (push?.authorizationHeader ?? null) : null;
  return {
    stream_id: streamId,
    iss,
    aud: clientId,
    delivery: {
      method: push === null ? deliveryMethods.poll : deliveryMethods.push,
      endpoint_url: push?.endpointUrl ?? `${iss}${streamPaths.poll}/${streamId}`,
      ...(header !== null && { authorization_header: header }),
    },
    events_supported: [...supportedTypes],
    ...(eventsRequested !== null && { events_requested: [...eventsRequested] }),
    events_delivered: [...deliveredTypes(stream)],
    min_verification_interval: VERIFICATION_INTERVAL,
    ...(description !== null && { description }),
  };
}

/** One line of an HTTP header. */
const header = z
  .string()
  .max(2000)
  .regex(/^[\x20-\x7e]+$/);

const uris = z.array(z.string().max(500)).max(50);

const streamId = z.string().min(1).max(100);

const wish = {
  delivery: z
    .object({
      method,
      endpoint_url: z.string().max(2000).optional().meta({ description: 'Only for push delivery' }),
      authorization_header: header
        .nullable()
        .optional()
        .meta({ description: 'Only for push delivery: sent with each request' }),
    })
    .optional()
    .meta({ description: 'Omitted on creation: poll' }),
  events_requested: uris
    .optional()
    .meta({ description: 'Omitted on creation: all supported events' }),
  description: z.string().max(1000).optional(),
};

export const createBody = z.object(wish);

/** Values of the transmitter may come along, and must be those in force then. */
export const patchBody = z.object({
  stream_id: streamId,
  ...wish,
  iss: z.string().optional(),
  aud: z.union([z.string(), texts]).optional(),
  events_supported: texts.optional(),
  events_delivered: texts.optional(),
  min_verification_interval: z.number().optional(),
});

export const streamQuery = z.object({ stream_id: streamId });

const reason = z.string().max(500);

export const statusAnswer = z
  .strictObject({
    stream_id: z.string(),
    status: z.enum(streamStatuses),
    reason: z.string().optional(),
  })
  .meta({ id: 'SignalStreamStatus' });

export const statusBody = z.object({
  stream_id: streamId,
  status: z.enum(streamStatuses),
  reason: reason.optional(),
});

export const subjectBody = z.object({
  stream_id: streamId,
  subject: z
    .object({
      format: z.string().max(100),
      iss: z.string().max(2000).optional(),
      sub: z.string().max(255).optional(),
    })
    .meta({ description: 'RFC 9493: iss_sub' }),
  verified: z.boolean().optional(),
});

export const verificationBody = z.object({
  stream_id: streamId,
  state: z.string().max(2000).optional(),
});

const jti = z.string().max(100);

export const pollBody = z.object({
  maxEvents: z.int().min(0).optional(),
  returnImmediately: z.boolean().default(false),
  ack: z.array(jti).max(1000).default([]),
  setErrs: z
    .record(
      jti,
      z.object({ err: z.string().max(100), description: z.string().max(500).default('') }),
    )
    .default({}),
});

export const pollAnswer = z
  .strictObject({
    sets: z.record(z.string(), z.string()).meta({ description: 'Signed tokens, by jti' }),
    moreAvailable: z.boolean(),
  })
  .meta({ id: 'SignalPollAnswer' });
