import {
  anyText,
  type Argument,
  bytes,
  digest,
  objectWith,
  optional,
  options,
  text,
} from '../arguments.ts';
import { batchDocuments } from '../batch.ts';

const polled = objectWith({ state: text });
const startedSession = objectWith({
  rpChallenge: anyText,
  request: optional(objectWith({})),
  addressee: optional(
    objectWith({ id: optional(text), documentNumber: optional(text), onBehalfOf: optional(text) }),
  ),
});
const person = { personEtsi: optional(text), documentNumber: optional(text) };
const expectation: Argument = [
  'expectation',
  objectWith({ ...person, session: optional(startedSession) }),
];

export const authArguments: readonly Argument[] = [
  ['result', polled],
  ['asked', (value, name) => (typeof value === 'string' ? undefined : startedSession(value, name))],
  ['expected', objectWith(person)],
];
export const signArguments: readonly Argument[] = [
  ['result', polled],
  ['digestB64', digest],
  expectation,
];
export const batchArguments: readonly Argument[] = [
  ['result', polled],
  ['documents', batchDocuments],
  expectation,
];
export const sealArguments: readonly Argument[] = [
  ['seal', objectWith({})],
  ['digestB64', digest],
  ['orgEtsi', text],
];
export const revocationArguments: readonly Argument[] = [
  ['certificate', objectWith({ raw: bytes })],
  ['options', options],
];
