import {
  type Certificate,
  type CertificateCommand,
  certificateDecider,
} from '../../domain/certificate/certificate.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The certificate aggregate bound to its store; its id is the serial number. */
export type Certificates = Aggregate<Certificate, CertificateCommand, CertificateEvent>;

export function createCertificates(dependencies: AggregateDependencies<Certificate>): Certificates {
  return createAggregate('certificate', certificateDecider, dependencies);
}
