import { createMemoryPersonKeys } from './memoryPersonKeys.ts';
import {
  createPersonalDataVault,
  type WatchingVault,
} from '../../../infrastructure/codec/personalDataVault.ts';

/** A master key for tests. */
export const testMasterKey = Buffer.alloc(32, 7);

/** A vault in memory, with a master key of its own. */
export function testVault(): WatchingVault {
  return createPersonalDataVault({ keys: createMemoryPersonKeys(), masterKey: testMasterKey });
}
