import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const texts = defineTexts({
  common: {
    status: 'state',
    newRole: 'newRole',
    all: 'all',
    request: 'request',
    comment: 'reason',
  },
  mn: {
    ...nav.mn,
    lead: 'Хоёр хүний хяналттай үйлдлүүд',
    view: 'Харах',
    inbox: 'Надаас хүлээж буй',
    mine: 'Миний хүсэлт',
    operation: 'Үйлдэл',
    subject: 'Юуны талаар',
    requestedBy: 'Хүссэн',
    requestedAt: 'Хүссэн цаг',
    timeLeft: 'Үлдсэн хугацаа',
    you: 'Та',
    inboxEmpty: 'Таны шийдэх хүсэлт алга.',
    whatHappens: 'Зөвшөөрвөл юу болох вэ',
    whatChanges: 'Юуг өөрчлөх вэ',
    whatChanged: 'Юуг өөрчилсөн бэ',
    whatHappened: 'Юуг өөрчлөх хүсэлт байсан бэ',
    alsoEnds: 'Хамт дуусах нь: {{things}}.',
    askedWhy: 'Хүссэн: {{who}}. Шалтгаан: «{{reason}}».',
    askedNoWhy: 'Хүссэн: {{who}}. Шалтгаан бичээгүй.',
    search: 'Хүсэлт хайх',
    hint: 'Иргэн, итгэгч тал, байгууллагын нэр эсвэл операторын и-мэйл',
    noComment: 'Шалтгаан бичээгүй',
    expiresAt: 'Дуусах цаг',
    capability: 'Шийдэх эрх',
    hash: 'Командын SHA-256',
    revocationReason: 'Хүчингүй болгох шалтгаан',
    decision: 'Шийдвэр',
    approve: 'Зөвшөөрөх',
    approveTitle: 'Энэ үйлдлийг зөвшөөрөх үү?',
    approved: 'Зөвшөөрлөө.',
    reject: 'Татгалзах',
    rejectTitle: 'Хүсэлтээс татгалзах',
    rejectReason: 'Татгалзсан шалтгаан',
    rejected: 'Татгалзлаа.',
    ownRequest: 'Энэ бол таны өөрийн хүсэлт. Өөр оператор шийднэ.',
    lacking: 'Үүнийг шийдэхэд «{{capability}}» эрх хэрэгтэй. Танд алга.',
    decidedBy: 'Шийдсэн',
    decidedAt: 'Шийдсэн цаг',
    rejectionReason: 'Татгалзсан шалтгаан',
    endedAt: 'Дууссан цаг',
    failureCode: 'Алдааны код',
    isEXECUTED: 'Үйлдэл хийгдсэн.',
    isFAILED: 'Үйлдэл хийгдээгүй: хүсэлтээс хойш нөхцөл өөрчлөгдсөн байна. Шинээр хүснэ үү.',
    isREJECTED: 'Хүсэлтээс татгалзсан. Юу ч өөрчлөгдөөгүй.',
    isEXPIRED: 'Хэн ч цагтаа шийдээгүй. Юу ч өөрчлөгдөөгүй.',
    isAPPROVED: 'Зөвшөөрсөн. Одоо хийгдэж байна…',
    awaitsRequester: 'Зөвшөөрсөн. Хүссэн хүн шинэ түлхүүрээ авахад солигдоно.',
    awaitsLink: 'Зөвшөөрсөн. Хүссэн хүн холбоосыг авахад хийгдэнэ.',
    collectLink: 'Холбоосыг авах',
    collectLinkLead:
      'Холбоос ганц удаа харагдана. Нууц түлхүүрийг холбоосыг нээсэн эхний хүн авна.',
    collectFirstLead: 'Нууц түлхүүр ганц удаа харагдана.',
    collect: 'Шинэ нууц түлхүүрийг авах',
    collectLead: 'Авмагц одоогийн түлхүүр хүчингүй болно. Шинэ түлхүүр ганц удаа харагдана.',
    expired: 'Дууссан',
    leftDays: '{{days}} өдөр {{hours}} цаг',
    leftHours: '{{hours}} цаг {{minutes}} мин',
    leftMinutes: '{{minutes}} мин {{seconds}} сек',
    'certificate.revoke': '{{name}}: гэрчилгээ шууд хүчингүй болж, OCSP болон CRL-д зарлагдана.',
    'certificate.hold':
      '{{name}}: гэрчилгээ түр түдгэлзэж, OCSP болон CRL-д зарлагдана. Дараа нь сэргээж болно.',
    'device.deactivate': '{{name}}: утас шууд идэвхгүй болно.',
    'relyingParty.deactivate':
      '{{name}}: итгэгч талын нууц түлхүүр ажиллахаа больж, нэвтрэлт, гарын үсэг захиалж чадахгүй болно.',
    'relyingParty.reactivate':
      '{{name}}: итгэгч талын нууц түлхүүр дахин ажиллаж, нэвтрэлт, гарын үсэг захиалж чадна.',
    'relyingParty.allowSealing':
      '{{name}}: итгэгч тал энэ байгууллагын нэрийн өмнөөс тамга дарж, гэрчилгээ хүсэж чадна.',
    'relyingParty.setNames': '{{name}}: итгэгч тал эдгээр нэрээр иргэнээс хүсэлт гаргаж чадна.',
    'relyingParty.register':
      '{{name}}: итгэгч тал бүртгэгдэж, хүссэн хүн нууц түлхүүрийг нь нэг удаа авна.',
    'relyingParty.edit': '{{name}}: итгэгч талын тохиргоо доорх болно.',
    'oidcClient.edit': '{{name}}: клиентийн тохиргоо доорх болно.',
    'oidcClient.register':
      '{{name}}: клиент бүртгэгдэж, хүссэн хүн нууц түлхүүрийг нь нэг удаа авна.',
    'oidcClient.bare': '{{name}}: клиент нууц түлхүүргүйгээр бүртгэгдэнэ.',
    'registered.byLink':
      '{{name}}: бүртгэгдэж, хүссэн хүн холбоос авна. Нууц түлхүүрийг холбоосыг нээсэн эхний хүн авна.',
    'relyingParty.rotateSecret':
      '{{name}}: хүссэн хүн шинэ нууц түлхүүрийг авах мөчид хуучин түлхүүр хүчингүй болно.',
    'oidcClient.deactivate':
      '{{name}}: клиентийн нууц түлхүүр, код, токенууд хүчингүй болж, иргэн нэвтрүүлж чадахгүй болно.',
    'secret.byLink':
      '{{name}}: холбоосыг эхэлж нээсэн хүн шинэ нууц түлхүүрийг авч, хуучин нь тэр мөчид хүчингүй болно.',
    'oidcClient.rotateSecret':
      '{{name}}: хүссэн хүн шинэ нууц түлхүүрийг авах мөчид хуучин нь хүчингүй болно.',
    'projection.skip':
      'Үйл явдал уншилтын загварт бүрмөсөн тусгагдахгүй, дараагийнх нь тусгагдана. Буцаах боломжгүй.',
    'register.import':
      'Хадгалсан файлын мөрүүд бүртгэлд орно. Татгалзсан мөр орохгүй, байхгүй мөрийг устгахгүй.',
    'organization.revoke':
      '{{name}}: байгууллага бүрмөсөн хүчингүй болж, тамганы гэрчилгээ нь хүчингүй болно. Буцаах боломжгүй.',
    'organization.issueSealCertificate':
      '{{name}}: тамганы шинэ түлхүүр үүсэж, гэрчилгээ олгогдоно. Өмнөх гэрчилгээ байвал орлогдоно.',
    'operator.deactivate': '{{name}}: оператор цаашид нэвтрэхгүй, буцаах боломжгүй.',
    'operator.resetSecondFactor':
      '{{name}}: оператор дараагийн нэвтрэлтэд шинэ баталгаажуулагч бүртгэнэ.',
    'operator.changeRole': '{{name}}: операторын эрх шууд өөрчлөгдөнө.',
    'person.forget':
      '{{name}}: иргэний мэдээллийг тайлах түлхүүр устаж, хэн ч дахин уншиж чадахгүй болно. Буцаах боломжгүй.',
    'assistant.changePrompt': 'Туслахын заавар шууд өөрчлөгдөнө.',
    'assistant.changeKnowledge': 'Туслахын мэдлэгийн нийтлэл шууд өөрчлөгдөнө.',
  },
  en: {
    ...nav.en,
    lead: 'Actions that need a second operator',
    view: 'Show',
    inbox: 'Waiting for me',
    mine: 'My requests',
    operation: 'Operation',
    subject: 'About',
    requestedBy: 'Asked by',
    requestedAt: 'Asked at',
    timeLeft: 'Time left',
    you: 'You',
    inboxEmpty: 'You have nothing to decide.',
    whatHappens: 'What happens if you approve',
    whatChanges: 'What it changes',
    whatChanged: 'What it changed',
    whatHappened: 'What it would have changed',
    alsoEnds: 'These end with it: {{things}}.',
    askedWhy: 'Asked by {{who}}: “{{reason}}”.',
    askedNoWhy: 'Asked by {{who}}; no reason given.',
    search: 'Find a request',
    hint: 'Name of a citizen, relying party or organization, or e-mail of an operator',
    noComment: 'No reason given',
    expiresAt: 'Expires',
    capability: 'Permission to decide',
    hash: 'SHA-256 of the command',
    revocationReason: 'Revocation reason',
    decision: 'Decision',
    approve: 'Approve',
    approveTitle: 'Approve this?',
    approved: 'Approved.',
    reject: 'Reject',
    rejectTitle: 'Reject the request',
    rejectReason: 'Why it is rejected',
    rejected: 'Rejected.',
    ownRequest: 'You asked for this yourself. Another operator decides.',
    lacking: 'Deciding this needs the permission “{{capability}}”, which you do not have.',
    decidedBy: 'Decided by',
    decidedAt: 'Decided at',
    rejectionReason: 'Why it was rejected',
    endedAt: 'Ended at',
    failureCode: 'Failure code',
    isEXECUTED: 'It was carried out.',
    isFAILED: 'It was not carried out, because things have changed since the request. Ask again.',
    isREJECTED: 'It was rejected. Nothing changed.',
    isEXPIRED: 'Nobody decided in time. Nothing changed.',
    isAPPROVED: 'It was approved and is being carried out…',
    awaitsRequester: 'It was approved. It takes effect when the requester collects the new secret.',
    awaitsLink: 'It was approved. It is carried out when the requester collects the link.',
    collectLink: 'Collect the link',
    collectLinkLead: 'The link is shown once. The first person to use it gets the secret.',
    collectFirstLead: 'The secret is shown once.',
    collect: 'Collect the new secret',
    collectLead:
      'The current secret stops working the moment you collect the new one, which is shown once.',
    expired: 'Expired',
    leftDays: '{{days}} d {{hours}} h',
    leftHours: '{{hours}} h {{minutes}} min',
    leftMinutes: '{{minutes}} min {{seconds}} s',
    'certificate.revoke': 'The certificate “{{name}}” is revoked at once, in OCSP and CRL too.',
    'certificate.hold':
      'The certificate “{{name}}” is put on hold, in OCSP and CRL too. It can be reinstated later.',
    'device.deactivate': 'The phone “{{name}}” is deactivated at once.',
    'relyingParty.deactivate':
      'The secret of {{name}} stops working: it can no longer ask for logins or signatures.',
    'relyingParty.reactivate':
      'The secret of {{name}} works again: it can ask for logins and signatures.',
    'relyingParty.allowSealing':
      '{{name}} can seal on behalf of the organization below and ask for its certificate.',
    'relyingParty.setNames': '{{name}} can ask citizens under the names below.',
    'relyingParty.register':
      '{{name}} is registered as a relying party. The requester collects its secret, once.',
    'relyingParty.edit': 'The settings of {{name}} become those below.',
    'oidcClient.edit': 'The settings of the client {{name}} become those below.',
    'oidcClient.register':
      '{{name}} is registered as an OpenID client. The requester collects its secret, once.',
    'oidcClient.bare': '{{name}} is registered as an OpenID client, without a secret.',
    'registered.byLink':
      '{{name}} is registered. The requester gets a link; the first person to use it gets the secret.',
    'relyingParty.rotateSecret':
      'The current secret of {{name}} stops working when the requester collects the new one.',
    'oidcClient.deactivate':
      'The secret, codes and tokens of {{name}} stop working: it can no longer log anybody in.',
    'secret.byLink':
      'The requester gets a link to a new secret. The current secret of {{name}} stops working when somebody uses the link.',
    'oidcClient.rotateSecret':
      'The current secret of {{name}} stops working when the requester collects the new one.',
    'projection.skip':
      'The event is permanently left out of the read model; later events are shown. This cannot be undone.',
    'register.import':
      'The records in the stored file are added to the register. Refused lines are left out, and nothing is removed.',
    'organization.revoke':
      '{{name}} is ended permanently, and its seal certificate is revoked. This cannot be undone.',
    'organization.issueSealCertificate':
      'A new seal key and certificate are issued for {{name}}. They replace the current ones.',
    'operator.deactivate': '{{name}} can never sign in again.',
    'operator.resetSecondFactor': '{{name}} connects a new authenticator at the next sign-in.',
    'operator.changeRole': 'The role of {{name}} changes at once.',
    'person.forget':
      'The key that encrypts the data of {{name}} is destroyed, so nobody can ever read it again. This cannot be undone.',
    'assistant.changePrompt': 'The instructions of the assistant change at once.',
    'assistant.changeKnowledge': 'The knowledge of the assistant changes at once.',
  },
});
