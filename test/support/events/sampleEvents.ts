import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventMetadata } from '../../../application/ports/eventStore.ts';
import type { Identity } from '../../../domain/citizen/events.ts';
import { declarations, type PlatformEvent } from '../../../domain/events.ts';
import type { EventDeclaration } from '../../../domain/shared/defineEvents.ts';
import type { DomainEvent } from '../../../domain/shared/decider.ts';
import { sampleOf } from './sampleOf.ts';

/** Directory of the golden fixtures. */
export const FIXTURES = 'test/fixtures/events';

export const sampleIdentity: Identity = {
  givenName: 'Бат-Эрдэнэ',
  surname: 'Дорж',
  familyName: 'Боржигон',
  givenNameLatin: 'Bat-Erdene',
  surnameLatin: 'Dorj',
  registrationNumber: 'уб85031512',
  birthDate: '1985-03-15',
  gender: 'M',
  geId: 200001,
};

export const sampleMetadata: EventMetadata = {
  time: '2026-01-01T00:01:00.000Z',
  actor: { kind: 'relyingParty', id: 'c56a4180-65aa-42ec-a945-5fd21dec0538' },
  correlationId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  causationId: '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10',
  requestId: '0f6f5f0a-3c1e-4c55-8f0b-4f6d2f6c9a10',
  ip: '192.0.2.7',
};

/** One event of every type: that of its golden fixture, or before there is one a sample made from its declaration. */
export const sampleEvents = Object.fromEntries(
  declarations.flatMap(({ events }) =>
    Object.entries<EventDeclaration>(events).map(([type, { version, data }]) => [
      type,
      fixtureEvent(`${type}.v${version}.json`) ?? { type, data: sampleOf(data) },
    ]),
  ),
) as {
  readonly [Type in PlatformEvent['type']]: Extract<PlatformEvent, { type: Type }>;
};

/** Further shapes of those types, by the name of their fixture. */
export const sampleVariants = Object.fromEntries(
  readdirSync(FIXTURES).flatMap((file) => {
    const name = /^([A-Za-z]+-[A-Za-z]+)\.v\d+\.json$/.exec(file)?.[1];
    return name === undefined ? [] : [[name, fixtureEvent(file)]];
  }),
) as Readonly<Record<string, PlatformEvent>>;

/** The event of a golden fixture in today's shape; null: the fixture is not there. */
function fixtureEvent(file: string): DomainEvent | null {
  try {
    const fixture = JSON.parse(readFileSync(join(FIXTURES, file), 'utf8')) as {
      readonly decoded: { readonly event: DomainEvent };
    };
    return fixture.decoded.event;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
