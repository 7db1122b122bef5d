import { z } from 'zod';
import type { SensitiveCommand } from '../../application/approval/operations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import { parsePersonIdentifier, type PersonIdentifier } from '../../domain/shared/etsi.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { type Route, route } from '../http/route.ts';
import { approvalView, doneView, submittedReply } from './approvalRoutes.ts';
import type { OperatorGuards } from './guard.ts';
import { comment, commentBody, type Submission, submitFor } from './submitting.ts';

export interface SensitiveApi {
  readonly guards: OperatorGuards;
  readonly submit: Submit;
  /** @throws Refusal PERSON_NOT_FOUND */
  readonly civilIdOf: (identifier: PersonIdentifier) => Promise<string>;
}

const reason = z.number().int().min(0).max(10);
const revocationBody = z.object({ reason, comment });
const deactivationBody = z
  .object({ reason: reason.default(revocationReasons.keyCompromise), comment })
  .prefault({});

const response = { 200: doneView, 202: approvalView };

/** Irreversible commands, under four eyes where the policy requires it. */
export function sensitiveRoutes({ guards, submit, civilIdOf }: SensitiveApi): readonly Route[] {
  const submitted = async (request: Submission, command: SensitiveCommand) =>
    submittedReply(await submitFor(submit, request, command));

  return [
    route({
      name: 'admin.certificates.revoke',
      summary: 'Revoke a certificate and end its phone; reason 6 puts it on hold',
      method: 'POST',
      path: '/v3/admin/certificates/:serial/revoke',
      guard: guards.withCapability('cert:revoke'),
      params: z.object({ serial: z.string().max(100) }),
      body: revocationBody,
      response,
      handle: (request) => {
        const { serial } = request.params;
        return submitted(request, {
          operation: 'certificate.revoke',
          serial,
          reason: request.body.reason,
        });
      },
    }),
    route({
      name: 'admin.devices.deactivate',
      summary: 'End a phone and revoke its certificates',
      method: 'POST',
      path: '/v3/admin/devices/:documentNumber/deactivate',
      guard: guards.withCapability('device:revoke'),
      params: z.object({ documentNumber: z.string().max(100) }),
      body: deactivationBody,
      response,
      handle: (request) => {
        const documentNumber = request.params.documentNumber.toLowerCase();
        return submitted(request, {
          operation: 'device.deactivate',
          documentNumber,
          reason: request.body.reason,
        });
      },
    }),
    route({
      name: 'admin.relyingParties.deactivate',
      summary: 'Deactivate a relying party; its secret no longer works',
      method: 'POST',
      path: '/v3/admin/relying-parties/:id/deactivate',
      guard: guards.withCapability('rp:write'),
      params: z.object({ id: z.string().max(100) }),
      body: commentBody,
      response,
      handle: (request) => {
        const relyingPartyId = request.params.id.toLowerCase();
        return submitted(request, { operation: 'relyingParty.deactivate', relyingPartyId });
      },
    }),
    route({
      name: 'admin.projections.skip',
      summary: 'Skip an event that cannot be projected, in one read model and for good',
      method: 'POST',
      path: '/v3/admin/projections/:name/parked-events/:eventId/skip',
      guard: guards.withCapability('config:write'),
      params: z.object({ name: z.string().max(100), eventId: z.string().max(100) }),
      body: commentBody,
      response,
      handle: (request) => {
        const { name: readModel, eventId } = request.params;
        return submitted(request, { operation: 'projection.skip', readModel, eventId });
      },
    }),
    route({
      name: 'admin.users.forget',
      summary: 'Forget a person for good, by destroying the key that encrypts their data',
      method: 'POST',
      path: '/v3/admin/users/:etsi/forget',
      guard: guards.withCapability('admin:manage'),
      params: z.object({ etsi: z.string().max(100) }),
      body: commentBody,
      response,
      handle: async (request) => {
        const identifier = parsePersonIdentifier(request.params.etsi, '#/path/etsi');
        const civilId = await civilIdOf(identifier);
        return submitted(request, { operation: 'person.forget', civilId });
      },
    }),
  ];
}
