import { defineTexts } from '../texts.ts';

/** Read models, by what is read from them. */
export const projectionWords = defineTexts({
  common: {
    certificates: 'certificates',
  },
  mn: {
    approvals: 'Зөвшөөрлийн хүсэлтүүд',
    assistantPrompts: 'Туслахын заавар',
    citizenSearch: 'Иргэний хайлт',
    citizens: 'Иргэд',
    consents: 'Иргэний зөвшөөрлүүд',
    devices: 'Утаснууд',
    documents: 'Баримт бичгүүд',
    identityVerifications: 'Биеийн байцаалтын шалгалтууд',
    knowledgeArticles: 'Туслахын мэдлэг',
    notices: 'Утасны мэдэгдлүүд',
    oidcClients: 'OpenID клиентүүд',
    organizations: 'Байгууллагууд',
    relyingParties: 'Итгэгч талын бүртгэл',
    representations: 'Төлөөлөх эрхүүд',
    sessions: 'Сессүүд',
    audit: 'Аудитын бүртгэл',
  },
  en: {
    approvals: 'Requests for approval',
    assistantPrompts: 'Prompts of the assistant',
    citizenSearch: 'Search for citizens',
    citizens: 'Citizens',
    consents: 'Consents of citizens',
    devices: 'Phones',
    documents: 'Documents',
    identityVerifications: 'Identity checks',
    knowledgeArticles: 'Knowledge of the assistant',
    notices: 'Notices to phones',
    oidcClients: 'OpenID clients',
    organizations: 'Organizations',
    relyingParties: 'Register of relying parties',
    representations: 'Rights to represent',
    sessions: 'Sessions',
    audit: 'Audit trail',
  },
});
