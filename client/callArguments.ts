import {
  type Argument,
  bytes,
  type Declared,
  digest,
  flag,
  interactions,
  listOf,
  milliseconds,
  objectWith,
  oneOf,
  optional,
  options,
  text,
} from './arguments.ts';
import type { Auth } from './auth.ts';
import type { Organization } from './organization.ts';
import type { PersonPki } from './personPki.ts';
import type { Seal } from './seal.ts';
import type { SessionApi } from './session.ts';
import type { Sign } from './sign.ts';
import type { Stamp } from './stamp.ts';

// Arguments of every call: one that is not declared here does not compile.

const called: Argument = ['options', options];
const id: Argument = ['id', text];
const documentNumber: Argument = ['documentNumber', text];
const shown: Argument = ['interactions', interactions];
const digestB64: Argument = ['digestB64', digest];
const sessionId: Argument = ['sessionId', text];
const pdf: Argument = ['pdf', bytes];
const orgEtsi: Argument = ['orgEtsi', text];
const etsi: Argument = ['etsi', text];
const personEtsi: Argument = ['personEtsi', text];
const orgRegister: Argument = ['orgRegister', text];
const acting: Argument = ['actingPersonEtsi', text];
const signerRegNo: Argument = ['signerRegNo', text];

export const authArguments: Declared<Auth> = {
  notificationByEtsi: [id, shown, called],
  notificationByDocument: [documentNumber, shown, called],
  deviceLinkAnonymous: [shown, called],
  deviceLinkByEtsi: [id, shown, called],
  deviceLinkByDocument: [documentNumber, shown, called],
};

const answeredChoice = objectWith({ sessionId: text, documentNumber: text });

export const signArguments: Declared<Sign> = {
  digestByEtsi: [id, digestB64, shown, called],
  digestByDocument: [documentNumber, digestB64, shown, called],
  textByEtsi: [id, ['text', text], shown, called],
  deviceLinkByEtsi: [id, digestB64, shown, called],
  deviceLinkByDocument: [documentNumber, digestB64, shown, called],
  linkedDigest: [['choice', answeredChoice], digestB64, shown, called],
  certificateOf: [documentNumber, called],
  certificateChoiceAnonymous: [called],
  certificateChoiceDeviceLink: [id, called],
  certificateChoiceNotification: [id, called],
};

export const sessionArguments: Declared<SessionApi> = {
  poll: [sessionId, ['serverPollMs', optional(milliseconds)], called],
  waitForResult: [sessionId, called],
};

const signer = objectWith({ id: optional(text), documentNumber: optional(text) });
const prepared = objectWith({ preparedId: text, pdf: bytes });

export const stampArguments: Declared<Stamp> = {
  pdf: [sessionId, pdf, called],
  prepare: [['signer', signer], pdf, called],
  prepared: [sessionId, ['prepared', prepared], called],
};

export const sealArguments: Declared<Seal> = {
  digest: [orgEtsi, digestB64, called],
  pdf: [orgEtsi, pdf, called],
  certificate: [orgEtsi, called],
  issueCertificate: [orgEtsi, called],
};

const link = objectWith({ orgRegister: text });
const newSigner = objectWith({ signerRegNo: text, role: optional(text) });

export const organizationArguments: Declared<Organization> = {
  representations: [personEtsi, called],
  link: [personEtsi, ['organization', link], called],
  unlink: [personEtsi, orgRegister, called],
  signers: [orgRegister, acting, called],
  addSigner: [orgRegister, acting, ['signer', newSigner], called],
  removeSigner: [orgRegister, acting, signerRegNo, called],
  resendConfirmation: [orgRegister, acting, signerRegNo, called],
  setNameLatin: [orgRegister, acting, ['nameLatin', text], called],
};

export const personPkiArguments: Declared<PersonPki> = {
  summary: [etsi, called],
  certificates: [etsi, called],
  devices: [etsi, called],
  activity: [etsi, called],
};

const pemTexts = (value: unknown, name: string) =>
  typeof value === 'string' ? undefined : listOf(text)(value, name);

/** Trust settings of the validator. */
export const trustSettings = objectWith({
  trustAnchorsPem: optional(pemTexts),
  intermediatesPem: optional(pemTexts),
  requiredLevel: optional(oneOf('ADVANCED', 'QUALIFIED', 'QSCD')),
  policyArc: optional(text),
  clockSkewMs: optional(milliseconds),
  allowUntrusted: optional(flag),
  revocationMode: optional(oneOf('hard-fail', 'soft-fail')),
});
