import { z } from 'zod';
import type { DeviceData } from '../../application/ports/referenceData.ts';
import { type BatchDocument, documentsOf } from '../../domain/session/batch.ts';
import { endResults, type Interaction, sessionKinds } from '../../domain/session/events.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import type { Guard, Route } from '../http/route.ts';
import { route } from '../http/route.ts';
import type { OwnHistoryReader } from '../me/ownHistory.ts';
import { moment } from '../schemas/answers.ts';

/** Requests of the owner that have ended, on all of the owner's phones. */
const historyAnswer = z
  .object({
    sessions: z.array(
      z.object({
        sessionId: z.uuid(),
        kind: z.enum(sessionKinds),
        relyingPartyName: z.string(),
        text: z.string().meta({ description: 'Text of the request; empty if there is none' }),
        fileName: z.string().nullable(),
        onBehalfOf: z.string().nullable().meta({ description: 'Name of the organization' }),
        endResult: z.enum(endResults),
        verificationCode: z.string().meta({ description: 'Empty if there is none' }),
        at: moment.meta({ description: 'Time when the session ended' }),
      }),
    ),
  })
  .meta({ id: 'DeviceHistory' });

type Entry = z.output<typeof historyAnswer>['sessions'][number];

/** The latest sessions of the phone's owner that have ended. @param device guard of the phone */
export function historyRoute(device: Guard<DeviceData>, ownHistory: OwnHistoryReader): Route {
  return route({
    name: 'device_history',
    summary: "List requests to the owner on all of the owner's phones, latest first",
    method: 'GET',
    path: '/v3/device/history',
    guard: device,
    response: { 200: historyAnswer },
    handle: async ({ principal: { civilId } }) => {
      const { sessions: listed } = await ownHistory.history(civilId, 0);
      const ended = listed.filter(({ endResult }) => endResult !== null);
      const found = await Promise.all(
        ended.map(({ sessionId }) => ownHistory.session(civilId, sessionId)),
      );
      return { body: { sessions: found.flatMap(entryOf) } };
    },
  });
}

function entryOf({
  session,
  askedBy,
}: {
  readonly session: StartedSession;
  readonly askedBy: string;
}): readonly Entry[] {
  if (session.status !== 'COMPLETE') return [];
  const { started, outcome } = session;
  const { sessionId, kind, fileName, onBehalfOf, verificationCode, interactions } = started;
  return [
    {
      sessionId,
      kind,
      relyingPartyName: askedBy,
      text: textOf(interactions[0]),
      fileName: documentsOf(started)?.map(nameOf).join(', ') ?? fileName,
      onBehalfOf: onBehalfOf?.name ?? null,
      endResult: outcome.endResult,
      verificationCode,
      at: outcome.completedAt,
    },
  ];
}

function nameOf({ fileName, displayText60 }: BatchDocument): string {
  return fileName ?? displayText60;
}

function textOf(interaction: Interaction | undefined): string {
  if (interaction === undefined) return '';
  return 'displayText60' in interaction ? interaction.displayText60 : interaction.displayText200;
}
