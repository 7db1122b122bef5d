import {
  anyText,
  type Argument,
  bytes,
  type Check,
  type Declared,
  sentDigest,
  fileName,
  flag,
  interactions,
  listOf,
  milliseconds,
  objectWith,
  oneOf,
  optional,
  options,
  text,
  textUpTo,
  unconfirmedOptions,
} from './arguments.ts';
import type { Auth } from './auth.ts';
import { batchDocuments } from './batch.ts';
import type { Directory } from './directory.ts';
import type { Documents } from './documents.ts';
import type { Organization } from './organization.ts';
import type { PersonPki } from './personPki.ts';
import type { Seal } from './seal.ts';
import type { SessionApi } from './session.ts';
import type { Sign } from './sign.ts';
import type { Stamp } from './stamp.ts';

// Arguments of every call: one that is not declared here does not compile.

const called: Argument = ['options', options];
const unconfirmed: Argument = ['options', unconfirmedOptions];
const id: Argument = ['id', text];
const documentNumber: Argument = ['documentNumber', text];
const shown: Argument = ['interactions', interactions];
const batch: Argument = ['documents', batchDocuments];
const digestB64: Argument = ['digestB64', sentDigest];
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
  batchByEtsi: [id, batch, shown, called],
  batchByDocument: [documentNumber, batch, shown, called],
  digestByEtsi: [id, digestB64, shown, called],
  digestByDocument: [documentNumber, digestB64, shown, called],
  textByEtsi: [id, ['text', text], shown, called],
  deviceLinkByEtsi: [id, digestB64, shown, called],
  deviceLinkByDocument: [documentNumber, digestB64, shown, called],
  linkedDigest: [['choice', answeredChoice], digestB64, shown, called],
  certificateOf: [documentNumber, unconfirmed],
  certificateChoiceAnonymous: [unconfirmed],
  certificateChoiceDeviceLink: [id, unconfirmed],
  certificateChoiceNotification: [id, unconfirmed],
};

export const sessionArguments: Declared<SessionApi> = {
  poll: [sessionId, ['serverPollMs', optional(milliseconds)], called],
  waitForResult: [sessionId, called],
  cancel: [sessionId, called],
  follow: [sessionId, called],
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

const query: Argument = ['query', anyText];

export const directoryArguments: Declared<Directory> = {
  person: [['regNo', text], called],
  organization: [['orgRegister', text], called],
  people: [query, called],
};

const documentId: Argument = ['id', text];
const docType: Argument = ['docType', oneOf('CONTRACT', 'REQUEST', 'APPROVAL')];
const signerOrAnybody: Check = (value, name) => (value === null ? undefined : text(value, name));
const newDocument = objectWith({
  title: textUpTo(200),
  docType: docType[1],
  signers: optional(listOf(signerOrAnybody)),
});
const sentFile: Argument = ['file', objectWith({ bytes, fileName })];
const policy = objectWith({ allowEid: flag, allowDan: flag, requireNamedSigner: flag });

export const documentsArguments: Declared<Documents> = {
  list: [called],
  create: [['document', newDocument], called],
  read: [documentId, called],
  attach: [documentId, sentFile, called],
  download: [documentId, called],
  recognize: [documentId, sentFile, called],
  signatures: [documentId, called],
  signingRails: [documentId, called],
  startSigning: [documentId, ['regNo', text], called],
  pollSigning: [documentId, sessionId, ['serverPollMs', optional(milliseconds)], called],
  policy: [docType, called],
  setPolicy: [docType, ['policy', policy], called],
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
