/**
 * A platform inside the process, for tests of relying parties. Start with {@link createFakePlatform}.
 *
 * @packageDocumentation
 */
export { type FakeCitizen, type FakeCitizenWish } from './citizens.ts';
export { type FakeOrganization, type FakeOrganizationWish } from './organizations.ts';
export { type FakeFlaw, type FakeOutcome, fakeOutcomes } from './outcomes.ts';
export { type FakeRefusal, type FakeRequest } from './exchange.ts';
export { createFakePlatform, type FakePlatform, type FakePlatformOptions } from './platform.ts';
export { type FakeAnswer, type FakeSession, type FakeSessionKind } from './sessions.ts';
