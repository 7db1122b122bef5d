import { createHash } from 'node:crypto';
import { z } from 'zod';
import type {
  ImportUpload,
  RegisterUploads,
} from '../../application/approval/ports/registerUploads.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import type { Clock } from '../../application/ports/clock.ts';
import { type Route, route } from '../http/route.ts';
import { approvalView, doneView, submittedReply } from './approvalRoutes.ts';
import { byOperator, type OperatorGuards } from './guard.ts';
import { commentBody, submitFor } from './submitting.ts';

export interface RegisterApi {
  readonly guards: OperatorGuards;
  readonly submit: Submit;
  readonly uploads: RegisterUploads;
  readonly importUpload: ImportUpload;
  readonly clock: Clock;
}

/** Size of a file that is compared while its operator waits, bytes: some thousands of lines. */
const MAX_FILE_BYTES = 1_000_000;
/** Characters of base64 (RFC 4648 §4). */
const MAX_CONTENT = Math.ceil(MAX_FILE_BYTES / 3) * 4;

const register = z.enum(['civil', 'organizations']);
const count = z.int().min(0);
const reportView = z
  .object({
    register,
    digest: z.string().meta({ description: 'SHA-256 of the file, hexadecimal' }),
    lines: count,
    added: count,
    changed: count,
    unchanged: count,
    forgotten: count.meta({ description: 'Forgotten persons, who are left out' }),
    refused: count,
    refusals: z
      .array(z.object({ line: z.int().min(1), reason: z.string() }))
      .meta({ description: 'The first thousand refused lines, without their contents' }),
  })
  .meta({ id: 'RegisterDryRun' });

/** Small files of the registers: compared first, then imported, under four eyes where the policy requires it. */
export function registerRoutes({
  guards,
  submit,
  uploads,
  importUpload,
  clock,
}: RegisterApi): readonly Route[] {
  return [
    route({
      name: 'admin.registers.compare',
      summary: 'Compare a file with a register without changes, and keep the file for its import',
      method: 'POST',
      path: '/v3/admin/registers/:register/files',
      guard: guards.withCapability('config:write'),
      params: z.object({ register }),
      body: z.object({
        format: z.enum(['csv', 'jsonl']),
        content: z
          .base64()
          .max(MAX_CONTENT)
          .meta({ description: 'The bytes of the file, at most 1 MB' }),
      }),
      maxBodyBytes: MAX_CONTENT + 1000,
      guardBeforeBody: true,
      response: { 200: reportView },
      handle: async ({ params, body, principal, context }) => {
        const content = Buffer.from(body.content, 'base64');
        const digest = createHash('sha256').update(content).digest('hex');
        const upload = { register: params.register, format: body.format, digest, content };
        const report = await importUpload(upload, {
          dryRun: true,
          context: byOperator(context, principal, context.requestId),
        });
        await uploads.save(upload, clock.now());
        const { register: name, lines, added, changed, unchanged, forgotten, refused } = report;
        const counts = { lines, added, changed, unchanged, forgotten, refused };
        return {
          body: {
            register: name,
            digest,
            ...counts,
            refusals: [...report.refusals],
          } satisfies z.input<typeof reportView>,
        };
      },
    }),
    route({
      name: 'admin.registers.import',
      summary: 'Import a file into its register after a comparison',
      method: 'POST',
      path: '/v3/admin/registers/:register/files/:digest/import',
      guard: guards.withCapability('config:write'),
      params: z.object({ register, digest: z.string().regex(/^[0-9a-f]{64}$/u) }),
      body: commentBody,
      response: { 200: doneView, 202: approvalView },
      handle: async (request) => {
        const command = { operation: 'register.import', ...request.params } as const;
        return submittedReply(await submitFor(submit, request, command));
      },
    }),
  ];
}
