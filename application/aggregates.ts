import { approvalDecider } from '../domain/approval/approval.ts';
import { certificateDecider } from '../domain/certificate/certificate.ts';
import { citizenDecider } from '../domain/citizen/citizen.ts';
import { deviceDecider } from '../domain/device/device.ts';
import type { StreamCategory } from '../domain/events.ts';
import { heldNameDecider } from '../domain/heldName/heldName.ts';
import { issuingCaDecider } from '../domain/issuingCa/issuingCa.ts';
import { noticeDecider } from '../domain/notice/notice.ts';
import { relyingPartyDecider } from '../domain/relyingParty/relyingParty.ts';
import { sealCertificateDecider } from '../domain/seal/sealCertificate.ts';
import type { Decider, DomainEvent } from '../domain/shared/decider.ts';
import { stampDecider } from '../domain/stamp/stamp.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from './handleCommand.ts';

// Aggregates that need nothing beside their decider and a store.

function boundTo<State, Command, Event extends DomainEvent>(
  category: StreamCategory,
  decider: Decider<State, Command, Event>,
) {
  return (dependencies: AggregateDependencies<State>): Aggregate<State, Command, Event> =>
    createAggregate(category, decider, dependencies);
}

export const createApprovals = boundTo('approval', approvalDecider);
export type Approvals = ReturnType<typeof createApprovals>;

/** Binds certificates; an id is the serial number. */
export const createCertificates = boundTo('certificate', certificateDecider);
export type Certificates = ReturnType<typeof createCertificates>;

/** Binds citizens; an id is the civil id. */
export const createCitizens = boundTo('citizen', citizenDecider);
export type Citizens = ReturnType<typeof createCitizens>;

/** Binds devices; an id is the document number. */
export const createDevices = boundTo('device', deviceDecider);
export type Devices = ReturnType<typeof createDevices>;

export const createNotices = boundTo('notice', noticeDecider);
export type Notices = ReturnType<typeof createNotices>;

/** Binds names; an id is the hash of scope and folded name. */
export const createHeldNames = boundTo('heldName', heldNameDecider);
export type HeldNames = ReturnType<typeof createHeldNames>;

/** Binds the generations of issuing CAs; an id is the kind. */
export const createIssuingCas = boundTo('issuingCa', issuingCaDecider);
export type IssuingCas = ReturnType<typeof createIssuingCas>;

export const createRelyingParties = boundTo('relyingParty', relyingPartyDecider);
export type RelyingParties = ReturnType<typeof createRelyingParties>;

/** Binds seal certificates; an id is the organization's register. */
export const createSealCertificates = boundTo('sealCertificate', sealCertificateDecider);
export type SealCertificates = ReturnType<typeof createSealCertificates>;

/** Binds stamps; an id is the session's. */
export const createStamps = boundTo('stamp', stampDecider);
export type Stamps = ReturnType<typeof createStamps>;
