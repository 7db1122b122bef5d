import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedEvent, LoggedEvent } from '../../../application/ports/eventLog.ts';
import type { EventMetadata, NewEvent } from '../../../application/ports/eventStore.ts';
import type { PersonalDataVault } from '../../../application/ports/personalDataVault.ts';
import type { DomainEvent } from '../../../domain/shared/decider.ts';
import { createEventEncoding } from '../../../infrastructure/codec/eventEncoding.ts';
import { createMemoryPersonKeys } from '../doubles/memoryPersonKeys.ts';
import { createPersonalDataVault } from '../../../infrastructure/codec/personalDataVault.ts';
import type { PersonKeys } from '../../../infrastructure/codec/personKeys.ts';
import { FIXTURES, sampleEvents, sampleMetadata, sampleVariants } from './sampleEvents.ts';
import { testMasterKey } from '../doubles/vault.ts';

const KEYS = join(FIXTURES, 'keys.json');
const FIXTURE = /^(([A-Za-z]+)(?:-[A-Za-z]+)?)\.v(\d+)\.json$/;

/** An event as it was stored when its version was current: never changed; and what it reads as in today's shape. */
export interface EventFixture {
  readonly encoded: EncodedEvent;
  readonly decoded: { readonly event: DomainEvent; readonly metadata: EventMetadata };
}

export interface NamedFixture extends EventFixture {
  /** File name. */
  readonly name: string;
  readonly type: string;
  readonly version: number;
}

export async function readFixtures(): Promise<readonly NamedFixture[]> {
  const fixtures: NamedFixture[] = [];
  for (const name of (await readdir(FIXTURES)).sort()) {
    const [, , type, version] = FIXTURE.exec(name) ?? [];
    if (type === undefined) continue;
    const fixture = await readJson<EventFixture>(join(FIXTURES, name));
    fixtures.push({ name, type, version: Number(version), ...fixture });
  }
  return fixtures;
}

/** A vault holding the keys the fixtures were encrypted under. */
export async function fixtureVault(): Promise<PersonalDataVault> {
  return createPersonalDataVault({ keys: await fixtureKeys(), masterKey: testMasterKey });
}

/** A fixture's event as a log would deliver it. */
export function asLogged(encoded: EncodedEvent): LoggedEvent {
  return { ...encoded, stream: 'fixture-1', revision: 0n, position: 1n };
}

/** Writes the fixtures of event types and versions that have none yet; never touches one that is there. */
export async function writeMissingFixtures(): Promise<readonly string[]> {
  const keys = await fixtureKeys();
  const added = new Map<string, Buffer>();
  const remembering: PersonKeys = {
    ...keys,
    add: (wrapped, generation) => {
      for (const [subject, key] of wrapped) added.set(subject, key);
      return keys.add(wrapped, generation);
    },
  };
  const { encode } = createEventEncoding({
    vault: createPersonalDataVault({ keys: remembering, masterKey: testMasterKey }),
  });
  const written: string[] = [];
  for (const [name, event] of Object.entries({ ...sampleEvents, ...sampleVariants })) {
    const id = `00000000-0000-4000-8000-${String(written.length).padStart(12, '0')}`;
    const created: NewEvent = { id, event, metadata: sampleMetadata };
    const encoded = await encode(created);
    const { schemaVersion } = JSON.parse(encoded.metadata) as { readonly schemaVersion: number };
    const path = join(FIXTURES, `${name}.v${schemaVersion}.json`);
    if (existsSync(path)) continue;
    const fixture: EventFixture = { encoded, decoded: { event, metadata: sampleMetadata } };
    await writeFile(path, `${JSON.stringify(fixture, null, 2)}\n`);
    written.push(path);
  }
  const known = existsSync(KEYS) ? await readJson<Record<string, string>>(KEYS) : {};
  const all = { ...known };
  for (const [subject, key] of added) all[subject] = key.toString('base64');
  await writeFile(KEYS, `${JSON.stringify(all, null, 2)}\n`);
  return written;
}

async function fixtureKeys(): Promise<PersonKeys> {
  const known = existsSync(KEYS) ? await readJson<Record<string, string>>(KEYS) : {};
  return createMemoryPersonKeys(
    Object.entries(known).map(([subject, key]) => [subject, Buffer.from(key, 'base64')]),
  );
}

async function readJson<Value>(path: string): Promise<Value> {
  return JSON.parse(await readFile(path, 'utf8')) as Value;
}
