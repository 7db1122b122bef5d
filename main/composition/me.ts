import { createOwnThings } from '../../api/me/ownThings.ts';
import { meRoutes } from '../../api/me/routes.ts';
import { createOwnPhones } from '../../application/citizen/ownPhones.ts';
import { createOwnServices } from '../../application/citizen/ownServices.ts';
import { readNotices } from '../../application/device/notices.ts';
import { identityProofing } from '../../infrastructure/config/identityVerificationSettings.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createNoticeViews } from '../../projections/notices.ts';
import type { PeopleViews } from '../../projections/peopleViews.ts';
import type { CertificateLife } from './certificateLife.ts';
import type { Core } from './core.ts';
import type { OpenIdConnect } from './openIdConnect.ts';
import { composeOwnHistory } from './ownHistory.ts';
import type { ServiceModule } from './serviceModule.ts';

export interface MeServices {
  readonly openIdConnect: Pick<OpenIdConnect, 'citizenConsents' | 'reply' | 'pageLimit' | 'origin'>;
  readonly people: PeopleViews;
  readonly certificateLife: Pick<CertificateLife, 'deactivateDevice'>;
}

/** A citizen's own page, in the browser of the login. */
export function composeMe(
  core: Core,
  { openIdConnect, people, certificateLife }: MeServices,
): ServiceModule {
  const { config, foundation, aggregates } = core;
  const { clock, database, randomness, referenceData } = foundation;
  const { citizens, devices, sessions, platformRelyingParty: relyingParty } = aggregates;
  const { enrolmentBlockMs } = identityProofing(config);
  const ownHistory = composeOwnHistory(core);
  const noticing = {
    noticeViews: failingFast(createNoticeViews(database)),
    referenceData,
    citizens,
    devices,
    clock,
    enrolmentBlockMs,
  };
  const phones = createOwnPhones({
    referenceData,
    citizens,
    devices,
    sessions,
    startSession: core.startSession,
    pollSession: core.pollSession,
    relyingParty,
    endDevice: certificateLife.deactivateDevice,
    jobs: core.effects.jobs,
    randomness,
    clock,
    enrolmentBlockMs,
    onFailure: core.effects.onFailure,
  });
  return {
    stop: phones.stop,
    routes: meRoutes({
      reply: openIdConnect.reply,
      consents: openIdConnect.citizenConsents,
      ownHistory,
      things: createOwnThings({
        people,
        ownHistory,
        referenceData,
        noticesOf: (phone) => readNotices(noticing, phone),
        clock,
      }),
      phones,
      services: createOwnServices({
        citizens,
        clock,
        blockMs: config.SVC_PUSH_BLOCK_HOURS * 3_600_000,
      }),
      helpLine: config.SVC_HELP_LINE ?? null,
      clock,
      rateLimit: openIdConnect.pageLimit,
      origin: openIdConnect.origin,
    }),
  };
}
