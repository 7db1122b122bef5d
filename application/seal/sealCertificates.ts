import type { SealCertificateEvent } from '../../domain/seal/events.ts';
import {
  type SealCertificate,
  type SealCertificateCommand,
  sealCertificateDecider,
} from '../../domain/seal/sealCertificate.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The seal-certificate aggregate bound to its store; its id is the organization's register. */
export type SealCertificates = Aggregate<
  SealCertificate,
  SealCertificateCommand,
  SealCertificateEvent
>;

export function createSealCertificates(
  dependencies: AggregateDependencies<SealCertificate>,
): SealCertificates {
  return createAggregate('sealCertificate', sealCertificateDecider, dependencies);
}
