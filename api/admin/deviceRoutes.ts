import { z } from 'zod';
import { enrolmentSorts } from '../../projections/people.ts';
import type { Devices } from '../../application/aggregates.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { PeopleViews } from '../../projections/peopleViews.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';
import { longListOf, pageQuery, snapshotAnswer, sortQuery } from './paging.ts';
import { deviceDetailsSchema, deviceSchema } from './peopleSchemas.ts';
import { emptyIsNull, searchText } from './search.ts';

export interface DeviceApi {
  readonly guards: OperatorGuards;
  readonly people: Pick<PeopleViews, 'devices' | 'device' | 'certificatesOf'>;
  readonly devices: Pick<Devices, 'load'>;
  readonly clock: Clock;
}

/** Devices of citizens. */
export function deviceRoutes({ guards, people, devices, clock }: DeviceApi): readonly Route[] {
  const common = {
    method: 'GET',
    guard: guards.withCapability('device:read'),
  } as const;
  return [
    route({
      ...common,
      name: 'admin.device.list',
      summary: 'Search devices by document number or owner, active or not',
      path: '/v3/admin/devices',
      query: z.object({
        ...pageQuery,
        ...sortQuery(enrolmentSorts),
        q: searchText,
        active: emptyIsNull(z.enum(['true', 'false'])),
      }),
      response: { 200: longListOf(deviceSchema) },
      handle: async ({ query }) => {
        const active = query.active === null ? null : query.active === 'true';
        return snapshotAnswer(await people.devices({ q: query.q, active }, query), query);
      },
    }),
    route({
      ...common,
      name: 'admin.device.read',
      summary: 'Get a device and its certificates',
      path: '/v3/admin/devices/:documentNumber',
      params: z.object({ documentNumber: z.string() }),
      response: { 200: deviceDetailsSchema },
      handle: async ({ params }) => {
        const documentNumber = params.documentNumber.toLowerCase();
        const device = await people.device(documentNumber);
        if (device === null) throw new Refusal('DOCUMENT_NOT_FOUND');
        const certificates = await people.certificatesOf({ documentNumber }, clock.now());
        const { state } = await devices.load(documentNumber);
        const lockedPins = state.status === 'NONE' ? [] : [...state.lockedPins];
        return { body: { ...device, lockedPins, certificates } };
      },
    }),
  ];
}
