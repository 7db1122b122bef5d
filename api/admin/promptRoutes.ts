import { z } from 'zod';
import type { Submit } from '../../application/approval/submitCommand.ts';
import { NotYetShown } from '../../application/ports/faults.ts';
import type { PromptRecord, PromptRecords } from '../../projections/assistantPrompts.ts';
import { promptNames } from '../../domain/assistant/events.ts';
import { longestPrompt } from '../../domain/assistant/prompt.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { asEnvelope, enveloped, envelopeOf } from '../schemas/envelope.ts';
import { count, moment } from '../schemas/answers.ts';
import { type Route, route } from '../http/route.ts';
import { proseText } from '../schemas/text.ts';
import { approvalBody, approvalView } from './approvalRoutes.ts';
import { expectedVersion, tagOf } from './edition.ts';
import type { OperatorGuards } from './guard.ts';
import { comment, submitFor } from './submitting.ts';

export interface PromptRouteDependencies {
  readonly guards: OperatorGuards;
  readonly records: PromptRecords;
  readonly submit: Submit;
}

const all = '/api/v1/admin/ai/prompts';

const promptView = z
  .strictObject({
    prompt: z.enum(promptNames),
    content: z.string(),
    version: count.meta({
      description: 'The same as in ETag; 0 for the version delivered with the program',
    }),
    changed_by: z.string().nullable(),
    changed_at: moment.nullable(),
  })
  .meta({ id: 'AssistantPrompt' });

const params = z.object({
  prompt: z.string().transform((text) => {
    const prompt = promptNames.find((name) => name === text);
    if (prompt === undefined) throw new Refusal('NOT_FOUND');
    return prompt;
  }),
});

/** Prompts of the assistant that operators may edit (contract §12); the guardrails are fixed. */
export function promptRoutes(dependencies: PromptRouteDependencies): readonly Route[] {
  const { guards, records, submit } = dependencies;
  const common = { refusedAs: asEnvelope } as const;

  async function one(name: PromptRecord['prompt']): Promise<PromptRecord> {
    const record = (await records.prompts()).find(({ prompt }) => prompt === name);
    if (record === undefined) throw new Refusal('NOT_FOUND');
    return record;
  }

  return [
    route({
      ...common,
      name: 'admin.assistant.prompts.list',
      summary: "List the assistant's prompts",
      method: 'GET',
      path: all,
      guard: guards.withCapability('config:read'),
      response: { 200: envelopeOf(z.array(promptView)) },
      handle: async () => enveloped((await records.prompts()).map(view)),
    }),
    route({
      ...common,
      name: 'admin.assistant.prompts.read',
      summary: 'Get a prompt',
      method: 'GET',
      path: `${all}/:prompt`,
      guard: guards.withCapability('config:read'),
      params,
      response: { 200: envelopeOf(promptView) },
      handle: async ({ params: { prompt } }) => answer(await one(prompt)),
    }),
    route({
      ...common,
      name: 'admin.assistant.prompts.change',
      summary: 'Change a prompt; If-Match names the version it was edited from',
      method: 'PUT',
      path: `${all}/:prompt`,
      guard: guards.withCapability('config:write'),
      params,
      body: z.object({ content: proseText(longestPrompt), comment }),
      response: { 200: envelopeOf(promptView), 202: envelopeOf(approvalView) },
      handle: async (request) => {
        const { prompt } = request.params;
        const { content } = request.body;
        const expected = expectedVersion(request.context);
        const command = { operation: 'assistant.changePrompt', prompt, content, expected } as const;
        const submitted = await submitFor(submit, request, command);
        if (submitted.kind === 'PENDING') return pending(submitted.approval);
        const record = await one(prompt);
        if (record.content !== content) throw new NotYetShown();
        return answer(record);
      },
    }),
  ];
}

/** Reply while an approval is pending. */
export function pending(approval: Parameters<typeof approvalBody>[0]) {
  const body = approvalBody(approval);
  return {
    ...enveloped(body, 'another operator decides'),
    status: 202,
    headers: { location: `/v3/admin/approvals/${body.id}` },
  };
}

function answer(record: PromptRecord) {
  return { ...enveloped(view(record)), headers: tagOf(record.version) };
}

function view({ prompt, content, version, changedBy, changedAt }: PromptRecord) {
  return {
    prompt,
    content,
    version,
    changed_by: changedBy,
    changed_at: changedAt,
  } satisfies z.input<typeof promptView>;
}
