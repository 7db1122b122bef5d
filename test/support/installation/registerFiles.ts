import { commandLine } from '../../../main/composition/administration.ts';
import {
  composeRegisterImports,
  type ImportRegister,
  type RegisterImportDependencies,
} from '../../../main/composition/registerImport.ts';
import { createMemoryEventStore } from '../doubles/memoryEventStore.ts';
import { manualClock } from '../doubles/memoryPorts.ts';
import { systemRandomness } from '../../../infrastructure/system.ts';

/** Columns of a civil register's file; `email` may follow. */
export const civilHeader =
  'civilId,registrationNumber,givenName,surname,familyName,givenNameLatin,surnameLatin,birthDate,gender,geId,cardNumber';

/** The line of `civilRecord(number)`. */
export function civilLine(number: number): string {
  const digits = String(number).padStart(8, '0');
  return `1300${digits},ҮЁ${digits},Өнөржаргал,Цогтбаатар,Боржигон,Unurjargal,Tsogtbaatar,1990-01-31,F,,E${digits}`;
}

/** Imports files into these registers, without other processes. */
export function importsInto(
  registers: Partial<Pick<RegisterImportDependencies, 'civilRegistry' | 'organizationRegistry'>>,
  changes: Partial<Pick<RegisterImportDependencies, 'aloneIn' | 'eventStore'>> = {},
): ImportRegister {
  const none = { compare: () => Promise.resolve([]), save: () => Promise.resolve() };
  const dependencies = {
    civilRegistry: none,
    organizationRegistry: none,
    ...registers,
    eventStore: createMemoryEventStore(),
    clock: manualClock(),
    randomness: systemRandomness,
    aloneIn: <Result>(_: string, work: () => Promise<Result>) => work(),
    ...changes,
  };
  return composeRegisterImports(dependencies).importFile(commandLine);
}
