import { certificateRoutes } from '../../api/admin/certificateRoutes.ts';
import { deviceRoutes } from '../../api/admin/deviceRoutes.ts';
import type { OperatorGuards } from '../../api/admin/guard.ts';
import { nameRoutes } from '../../api/admin/names.ts';
import { sessionRoutes } from '../../api/admin/sessionRoutes.ts';
import { userRoutes } from '../../api/admin/userRoutes.ts';
import { personPkiRoutes } from '../../api/rp/personPkiRoutes.ts';
import { type Forgetting, forgetPerson } from '../../application/citizen/forgetPerson.ts';
import type { DocumentErasure } from '../../application/document/eraseDocuments.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { decodeCertificate } from '../../infrastructure/pki/decodedCertificate.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createCitizenTraces } from '../../projections/citizens.ts';
import { createNames, type Names } from '../../projections/names.ts';
import { documentsReadModel } from '../../projections/models/documents.ts';
import { createPeopleViews } from '../../projections/people.ts';
import type { PeopleViews } from '../../projections/peopleViews.ts';
import { createPersonPki } from '../../projections/personPki.ts';
import { createSessionList } from '../../projections/sessionList.ts';
import type { Aggregates } from './aggregates.ts';
import type { CertificateLife } from './certificateLife.ts';
import type { Core } from './core.ts';
import type { Foundation } from './foundation.ts';
import type { ServiceModule } from './serviceModule.ts';

export interface PeopleArea {
  readonly module: ServiceModule;
  readonly people: PeopleViews;
  /** Names for ids in the answers of the operator API. */
  readonly names: Names;
  readonly forget: Forget;
}

export interface PeopleServices {
  readonly certificateLife: CertificateLife;
  readonly erasure: DocumentErasure;
}

/** Citizens, devices, certificates and sessions for operators and relying parties; crypto-shredding of persons. */
export function composePeople(
  { config, foundation, aggregates }: Core,
  guards: OperatorGuards,
  { certificateLife, erasure }: PeopleServices,
): PeopleArea {
  const { clock, database, vault, eventStore, lists, auditTrail, referenceData } = foundation;
  const people = failingFast(
    createPeopleViews({ database, vault, lists, clockSlackMs: config.SVC_CLOCK_SLACK * 1000 }),
  );
  const { operators } = aggregates;
  const names = failingFast(createNames({ database, people, operators }));
  return {
    module: {
      routes: [
        ...nameRoutes(guards, names),
        ...personPkiRoutes({
          referenceData,
          clock,
          sessions: aggregates.sessions,
          personPki: failingFast(createPersonPki(database)),
        }),
        ...userRoutes({ guards, people, clock, auditTrail, names }),
        ...deviceRoutes({ guards, people, devices: aggregates.devices, clock }),
        ...certificateRoutes({
          guards,
          people,
          eventStore,
          clock,
          names,
          decode: decodeCertificate,
        }),
        ...sessionRoutes({
          guards,
          eventStore,
          clock,
          names,
          list: failingFast(createSessionList(database)),
        }),
      ],
    },
    people,
    names,
    forget: createForget(foundation, aggregates, { certificateLife, erasure }),
  };
}

/** Crypto-shreds a person's data. @throws Refusal PERSON_NOT_FOUND */
export type Forget = (identifier: PersonIdentifier, context: CommandContext) => Promise<Forgetting>;

function createForget(
  { civilRegistry, vault, database, clock, eventStore, progressOf }: Foundation,
  { accessLog }: Pick<Aggregates, 'accessLog'>,
  { certificateLife, erasure }: PeopleServices,
): Forget {
  const traces = [civilRegistry, createCitizenTraces(database)];
  const progress = progressOf(documentsReadModel);
  return async (identifier, context) => {
    const record = (civilId: string) => {
      const forgottenAt = clock.now().toISOString();
      return accessLog({ type: 'PersonForgotten', data: { civilId, forgottenAt } }, context);
    };
    const endIdentity = (civilId: string) => certificateLife.endIdentity(civilId, context);
    const eraseDocuments = async (civilId: string) => {
      // Documents are found in a read model, which must have all of them first.
      const head = await eventStore.head();
      if (head !== null) await progress.untilProjected(head);
      return erasure.erase(civilId);
    };
    const dependencies = { vault, civilRegistry, traces, record, endIdentity, eraseDocuments };
    return forgetPerson(dependencies, identifier);
  };
}
