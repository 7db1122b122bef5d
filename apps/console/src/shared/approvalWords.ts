import type { RowOf } from './api/useRead.ts';
import { revocationTexts } from './revocationReasons.ts';
import { defineTexts, type Say, useTexts } from './texts.ts';
import type { Tone } from './ui/parts.tsx';

type Approval = RowOf<'/v3/admin/approvals'>;
export type ApprovalStatus = Approval['status'];
export type Effect = Approval['effects'][number];

/** Names of approvable commands. `{{subject}}` is the target, `{{extra}}` a further detail. */
export const approvalTexts = defineTexts({
  common: {
    stateACTIVE: 'active',
    stateDEACTIVATED: 'deactivated',
    statenone: 'none',
    stateFORGOTTEN: 'forgotten',
    statePENDING: 'pending',
    stateVERIFIED: 'verified',
    stateSUSPENDED: 'suspended',
    stateVALID: 'valid',
    EXPIRED: 'expired',
    REJECTED: 'rejected',
    stateREVOKED: 'noLongerValid',
  },
  mn: {
    'certificate.revoke': 'Гэрчилгээ хүчингүй болгох',
    'device.deactivate': 'Төхөөрөмж идэвхгүй болгох',
    'relyingParty.deactivate': 'Итгэгч талыг идэвхгүй болгох',
    'relyingParty.reactivate': 'Итгэгч талыг дахин идэвхжүүлэх',
    'relyingParty.allowSealing': 'Итгэгч талд тамга дарах эрх өгөх',
    'relyingParty.setNames': 'Итгэгч талын нэрсийг өөрчлөх',
    'relyingParty.register': 'Итгэгч талыг бүртгэх',
    'relyingParty.edit': 'Итгэгч талын нэр, эрхийг өөрчлөх',
    'relyingParty.rotateSecret': 'Итгэгч талын нууц түлхүүрийг солих',
    'oidcClient.deactivate': 'OpenID клиентийг идэвхгүй болгох',
    'oidcClient.edit': 'OpenID клиентийн тохиргоог өөрчлөх',
    'oidcClient.register': 'OpenID клиентийг бүртгэх',
    'oidcClient.rotateSecret': 'OpenID клиентийн нууц түлхүүрийг солих',
    'projection.skip': 'Уншилтын загварт тусгаж чадаагүй үйл явдлыг алгасах',
    'register.import': 'Бүртгэлийн файл оруулах',
    'organization.revoke': 'Байгууллагыг хүчингүй болгох',
    'organization.issueSealCertificate': 'Тамганы гэрчилгээ олгох',
    'operator.deactivate': 'Операторыг идэвхгүй болгох',
    'operator.resetSecondFactor': 'Операторын баталгаажуулагчийг сэргээх',
    'operator.changeRole': 'Операторын эрхийг өөрчлөх',
    'person.forget': 'Иргэний мэдээллийг бүрмөсөн устгах',
    'assistant.changePrompt': 'Туслахын зааврыг өөрчлөх',
    'assistant.changeKnowledge': 'Туслахын мэдлэгийг өөрчлөх',
    PENDING: 'Хүлээж байна',
    APPROVED: 'Зөвшөөрсөн',
    EXECUTED: 'Хийгдсэн',
    FAILED: 'Амжилтгүй',
    certificate: 'Гэрчилгээ {{name}}',
    device: 'Төхөөрөмж {{name}}',
    relyingParty: 'Итгэгч тал {{name}}',
    sealing: 'Итгэгч тал {{name}}: тамга дарах байгууллага',
    aliases: 'Итгэгч тал {{name}}: өөр нэрс',
    otherNames: 'Итгэгч тал {{name}}: бусад нэр',
    partyName: 'Итгэгч тал {{name}}: нэр',
    permissions: 'Итгэгч тал {{name}}: эрх',
    secret: 'Итгэгч тал {{name}}: нууц түлхүүр',
    oidcClient: 'OpenID клиент {{name}}',
    oidcParty: 'OpenID клиент {{name}}: итгэгч тал',
    oidcSecret: 'OpenID клиент {{name}}: нууц түлхүүр',
    organization: 'Байгууллага {{name}}',
    sealCertificate: '{{name}}: тамганы гэрчилгээ',
    person: 'Иргэн {{name}}',
    operator: 'Оператор {{name}}',
    civilAdded: 'Иргэний бүртгэлд нэмэх мөр',
    civilChanged: 'Иргэний бүртгэлд өөрчлөх мөр',
    organizationAdded: 'Байгууллагын бүртгэлд нэмэх мөр',
    organizationChanged: 'Байгууллагын бүртгэлд өөрчлөх мөр',
    stateREQUESTED: 'Хүссэн',
    stateENROLLED: 'Бүртгэлтэй',
    presentSecret: 'Одоогийн нууц түлхүүр',
    newSecret: 'Шинэ нууц түлхүүр: хүссэн хүнд ганц удаа харагдана',
    newCertificate: 'Шинэ гэрчилгээ',
    namesShown: 'Бүртгэсэн нэрийн ард харуулна',
    namesRefused: 'Хүлээж авахгүй',
    revokedFor: 'Хүчингүй: {{reason}}',
  },
  en: {
    'certificate.revoke': 'Revoke a certificate',
    'device.deactivate': 'Deactivate a phone',
    'relyingParty.deactivate': 'Deactivate a relying party',
    'relyingParty.reactivate': 'Reactivate a relying party',
    'relyingParty.allowSealing': 'Let a relying party seal',
    'relyingParty.setNames': 'Set the names of a relying party',
    'relyingParty.register': 'Register a relying party',
    'relyingParty.edit': 'Change the name or rights of a relying party',
    'relyingParty.rotateSecret': 'Rotate the secret of a relying party',
    'oidcClient.deactivate': 'Deactivate an OpenID client',
    'oidcClient.edit': 'Change the settings of an OpenID client',
    'oidcClient.register': 'Register an OpenID client',
    'oidcClient.rotateSecret': 'Rotate the secret of an OpenID client',
    'projection.skip': 'Skip an event that cannot be projected',
    'register.import': 'Import a file into a register',
    'organization.revoke': 'Revoke an organization',
    'organization.issueSealCertificate': 'Issue a seal certificate',
    'operator.deactivate': 'Deactivate an operator',
    'operator.resetSecondFactor': 'Reset the authenticator of an operator',
    'operator.changeRole': 'Change the role of an operator',
    'person.forget': 'Forget a person for good',
    'assistant.changePrompt': "Change the assistant's instructions",
    'assistant.changeKnowledge': "Change the assistant's knowledge",
    PENDING: 'Pending',
    APPROVED: 'Approved',
    EXECUTED: 'Executed',
    FAILED: 'Failed',
    certificate: 'Certificate {{name}}',
    device: 'Phone {{name}}',
    relyingParty: 'Relying party {{name}}',
    sealing: 'Organizations relying party {{name}} seals for',
    aliases: 'Aliases of relying party {{name}}',
    otherNames: 'Other names of relying party {{name}}',
    partyName: 'Name of relying party {{name}}',
    permissions: 'Permissions of relying party {{name}}',
    secret: 'Secret of relying party {{name}}',
    oidcClient: 'OpenID client {{name}}',
    oidcParty: 'Relying party of OpenID client {{name}}',
    oidcSecret: 'Secret of OpenID client {{name}}',
    organization: 'Organization {{name}}',
    sealCertificate: 'Seal certificate of {{name}}',
    person: 'Person {{name}}',
    operator: 'Operator {{name}}',
    civilAdded: 'Records added to the civil register',
    civilChanged: 'Records changed in the civil register',
    organizationAdded: 'Records added to the register of organizations',
    organizationChanged: 'Records changed in the register of organizations',
    stateREQUESTED: 'Requested',
    stateENROLLED: 'Enrolled',
    presentSecret: 'The present secret',
    newSecret: 'A new secret, shown once to who asked',
    newCertificate: 'A new certificate',
    namesShown: 'Shown after the registered one',
    namesRefused: 'Refused',
    revokedFor: 'Revoked: {{reason}}',
  },
});

export const approvalTones: Readonly<Record<ApprovalStatus, Tone>> = {
  PENDING: 'waiting',
  APPROVED: 'info',
  REJECTED: 'neutral',
  EXECUTED: 'good',
  FAILED: 'bad',
  EXPIRED: 'neutral',
};

/** Resources changed by commands, as named by the service (application/approval/*Operations.ts). */
const things = [
  ['API secret of relying party ', 'secret'],
  ['organizations sealed for by relying party ', 'sealing'],
  ['aliases of relying party ', 'aliases'],
  ['other names of relying party ', 'otherNames'],
  ['name of relying party ', 'partyName'],
  ['permissions of relying party ', 'permissions'],
  ['relying party of OpenID Connect client ', 'oidcParty'],
  ['relying party ', 'relyingParty'],
  ['secret of OpenID Connect client ', 'oidcSecret'],
  ['OpenID Connect client ', 'oidcClient'],
  ['seal certificate of ', 'sealCertificate'],
  ['certificate ', 'certificate'],
  ['device ', 'device'],
  ['organization ', 'organization'],
  ['person ', 'person'],
  ['operator ', 'operator'],
  ['records added to the civil register', 'civilAdded'],
  ['records changed in the civil register', 'civilChanged'],
  ['records added to the organization register', 'organizationAdded'],
  ['records changed in the organization register', 'organizationChanged'],
] as const;

const phrases: Readonly<Record<string, keyof typeof approvalTexts.keys>> = {
  'the present secret': 'presentSecret',
  'a new secret, told once to who asked for it': 'newSecret',
  'a new one': 'newCertificate',
  'shown after the registered one': 'namesShown',
  refused: 'namesRefused',
};

type SayApproval = Say<keyof typeof approvalTexts.keys>;

function thing(target: string, t: SayApproval): string {
  const found = things.find(([beginning]) => target.startsWith(beginning));
  return found === undefined ? target : t(found[1], { name: target.slice(found[0].length) });
}

function state(value: string, t: SayApproval, reasonOf: (code: number) => string): string {
  const [, code] = /^REVOKED for reason (\d+)$/.exec(value) ?? [];
  if (code !== undefined) return t('revokedFor', { reason: reasonOf(Number(code)) });
  const key = phrases[value] ?? `state${value}`;
  return key in approvalTexts.keys ? t(key as keyof typeof approvalTexts.keys) : value;
}

/** Translates effects of commands; unknown ones stay as they are. */
export function useEffectWords(): (effects: readonly Effect[]) => readonly Effect[] {
  const t = useTexts(approvalTexts);
  const r = useTexts(revocationTexts);
  const reasonOf = (code: number) => {
    const key = `reason${code}`;
    return key in revocationTexts.keys ? r(key as keyof typeof revocationTexts.keys) : String(code);
  };
  return (effects) =>
    effects.map(({ target, before, after }) => ({
      target: thing(target, t),
      before: state(before, t, reasonOf),
      after: state(after, t, reasonOf),
    }));
}
