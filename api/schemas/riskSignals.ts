import { z } from 'zod';
import { phoneSystems, type RiskSignal } from '../../domain/session/riskSignals.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';

/** Longest version of a system or an app, characters. */
const MAX_VERSION = 40;

const signals = z
  .object({
    platform: z.enum(phoneSystems).nullable(),
    osVersion: visibleText(MAX_VERSION).nullable(),
    appVersion: visibleText(MAX_VERSION).nullable(),
    attested: z
      .boolean()
      .nullable()
      .meta({ description: 'True if the maker of the operating system vouches for phone and app' }),
    screenLock: z.boolean().nullable(),
    rooted: z.boolean().nullable(),
    emulator: z.boolean().nullable(),
  } satisfies Record<RiskSignal, z.ZodType>)
  .partial();

/** Signals of a phone, as it sends them. */
export const sentSignals = signals.meta({ id: 'SentRiskSignals' });

/** Signals of a phone, as a relying party is told those it asked for. */
export const toldSignals = signals.meta({ id: 'RiskSignals' });
