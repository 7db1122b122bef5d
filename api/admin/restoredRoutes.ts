import { z } from 'zod';
import type { Reader } from '../../application/log/acceptRestored.ts';
import type { RestoredBackups } from '../../application/log/ports/restoredBackups.ts';
import type { RestoreGate } from '../../application/log/restoreGate.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { OperatorDirectory } from '../../application/operator/operators.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { anyone } from '../http/handling.ts';
import { type Route, route, type RouteRequest } from '../http/route.ts';
import { personalData } from '../schemas/personalData.ts';
import { byOperator, type Operator, type OperatorGuards } from './guard.ts';

export interface RestoredApi {
  readonly guards: OperatorGuards;
  readonly gate: Pick<RestoreGate, 'waiting'>;
  readonly backups: Pick<RestoredBackups, 'pending'>;
  readonly operators: Pick<OperatorDirectory, 'current'>;
  ask(reader: Reader): Promise<void>;
  accept(reader: Reader, context: CommandContext): Promise<void>;
}

const path = '/v3/admin/restored';

/** Findings name persons who were forgotten after the backup, and are to be forgotten again. */
const findings = z
  .array(z.strictObject({ what: z.string(), isApplied: z.boolean() }))
  .register(personalData, { what: 'civil ids of forgotten persons' });

const report = z.strictObject({
  madeAt: z.iso.datetime(),
  restoredAt: z.iso.datetime(),
  head: z
    .string()
    .nullable()
    .meta({ description: 'Position of the last event; null if there is none' }),
  events: z.int(),
  root: z
    .string()
    .nullable()
    .meta({ description: 'Root of the Merkle tree over the log, base64; null if unknown' }),
  findings,
  asked: z
    .strictObject({ by: z.string(), email: z.string().nullable(), at: z.iso.datetime() })
    .nullable()
    .meta({ description: 'The operator who asked another one to accept it' }),
});

/** Part of the list that was seen: it is accepted as it was read. */
const seen = z.object({ findings: z.int().min(0) });

/**
 * Acceptance of a restored installation by two operators (ADR 57): all that the operator API answers until then, beside
 * signing in.
 */
export function restoredRoutes({
  guards,
  gate,
  backups,
  operators,
  ask,
  accept,
}: RestoredApi): readonly Route[] {
  const whileClosed = 'serveOnceSettled';
  const guard = guards.withCapability('cert:revoke');

  /** Operator with a session and what they saw. @throws Refusal PERMISSION_DENIED for the break-glass key */
  function readerOf({
    principal: { id, session },
    body,
  }: RouteRequest<Operator, unknown, unknown, z.output<typeof seen>>): Reader {
    if (session === null) throw new Refusal('PERMISSION_DENIED');
    return { operatorId: id, findings: body.findings };
  }

  return [
    route({
      name: 'admin.restored',
      summary: 'Get whether the installation was restored and is not accepted yet',
      method: 'GET',
      path,
      guard: anyone,
      whileClosed: 'serve',
      response: {
        200: z.strictObject({
          pending: z
            .strictObject({
              madeAt: z.iso.datetime(),
              settledAt: z.iso
                .datetime()
                .meta({ description: 'Time from which operators can sign in and accept it' }),
            })
            .nullable(),
        }),
      },
      handle: () => {
        const waiting = gate.waiting();
        const pending = waiting && {
          madeAt: waiting.madeAt.toISOString(),
          settledAt: waiting.settledAt.toISOString(),
        };
        return { headers: { 'cache-control': 'no-store' }, body: { pending } };
      },
    }),
    route({
      name: 'admin.restored.report',
      isPolled: true,
      summary:
        'Get what is known about the time after the backup: what was redone, and what is left',
      method: 'GET',
      path: `${path}/report`,
      guard,
      whileClosed,
      response: { 200: report },
      handle: async () => {
        const restored = await backups.pending();
        if (restored === null) throw new Refusal('NOT_FOUND');
        const { madeAt, restoredAt, head, root, asked, ...rest } = restored;
        const email = asked && ((await operators.current()).get(asked.by)?.email ?? null);
        return {
          body: {
            ...rest,
            madeAt: madeAt.toISOString(),
            restoredAt: restoredAt.toISOString(),
            head: head?.toString() ?? null,
            root: root === 'unknown' ? null : root,
            asked: asked && { by: asked.by, email, at: asked.at.toISOString() },
          },
        };
      },
    }),
    route({
      name: 'admin.restored.ask',
      summary: 'Ask another operator to accept the restored installation',
      method: 'POST',
      path: `${path}/ask`,
      guard,
      whileClosed,
      body: seen,
      response: { 204: null },
      handle: async (request) => {
        await ask(readerOf(request));
        return { status: 204 };
      },
    }),
    route({
      name: 'admin.restored.accept',
      summary:
        "Accept the restored installation at another operator's request; the service resumes",
      method: 'POST',
      path: `${path}/accept`,
      guard,
      whileClosed,
      body: seen,
      response: { 204: null },
      handle: async (request) => {
        const by = byOperator(request.context, request.principal, request.context.requestId);
        await accept(readerOf(request), by);
        return { status: 204 };
      },
    }),
  ];
}
