import { clientSettingWords } from '../../../../../api/pages/words/settingWords.ts';
import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const texts = defineTexts({
  common: {
    state: 'state',
    deactivate: 'deactivate',
    save: 'save',
    saved: 'saved',
    name: 'name',
    none: 'none',
    search: 'searchByNameOrId',
    relyingParty: 'relyingParty',
    registeredAt: 'registered',
    settings: 'settings',
    register: 'register',
    registerLead: 'secretShownOnce',
    edit: 'edit',
    deactivated: 'itIsDeactivated',
    reactivate: 'reactivate',
    reactivated: 'itIsActiveAgain',
  },
  mn: {
    ...nav.mn,
    ...clientSettingWords.mn,
    lead: 'Иргэнийг OpenID Connect-оор нэвтрүүлдэг программууд',
    nameHelp: 'Зөвшөөрлийн хуудсанд харагдана.',
    relyingPartyHelp: 'Иргэний утсан дээр энэ нэрээр хүсэлт очно. Дараа өөрчлөх боломжгүй.',
    nobodyFound: 'Тохирох итгэгч тал алга',
    authentication: 'Танигдах арга',
    payment_initiation: 'Төлбөр',
    id: 'Клиентийн дугаар (client_id)',
    addresses: 'Хаягууд',
    registerTitle: 'OpenID клиент бүртгэх',
    registered: 'Бүртгэлээ. Энэ клиент нууц түлхүүргүй.',
    editTitle: 'Клиентийн тохиргоо засах',
    deactivateLead:
      'Энэ клиентээр хэн ч нэвтэрч чадахгүй болж, өмнө авсан код, токенууд нь хүчингүй болно.',
  },
  en: {
    ...nav.en,
    ...clientSettingWords.en,
    lead: 'Programs that log citizens in with OpenID Connect',
    nameHelp: 'Shown on the consent page.',
    relyingPartyHelp: "Requests on the citizen's phone come in its name. It never changes.",
    nobodyFound: 'No relying party is called so',
    authentication: 'Authentication',
    payment_initiation: 'Payments',
    id: 'Client id (client_id)',
    addresses: 'Addresses',
    registerTitle: 'Register an OpenID client',
    registered: 'It is registered. This client has no secret.',
    editTitle: 'Edit the client',
    deactivateLead: 'Nobody logs in through it any more, and its codes and tokens end.',
  },
});

export const scopeWords = defineTexts({
  common: { email: 'email' },
  mn: {
    openid: 'Нэвтрүүлэх',
    profile: 'Нэр, төрсөн огноо, хүйс',
    organization: 'Төлөөлж буй байгууллага',
    offline_access: 'Байхгүй үед нь хандах',
    'documents.read': 'Баримт унших',
    'documents.manage': 'Баримт үүсгэх, өөрчлөх',
    'documents.sign': 'Гарын үсэг зуруулах',
    'directory.read': 'Лавлагаа авах',
  },
  en: {
    openid: 'Log in',
    profile: 'Name, birth date, gender',
    organization: 'Organization acted for',
    offline_access: 'Access while away',
    'documents.read': 'Read documents',
    'documents.manage': 'Create and change documents',
    'documents.sign': 'Ask for signatures',
    'directory.read': 'Look up persons and organizations',
  },
});

/** Words of the values of settings that are chosen. */
export const choiceWords = defineTexts({
  common: { none: 'none' },
  mn: {
    poll: 'Хариуг өөрөө асууна (poll)',
    ping: 'Хариу бэлэн болмогц мэдэгдэнэ (ping)',
    web: 'Сервер дээрх программ (web)',
    native: 'Төхөөрөмж дээрх аппликейшн (native)',
    standard: 'Ердийн',
    fapi2: 'FAPI 2.0',
    fapi2_message_signing: 'FAPI 2.0, гарын үсэгтэй хүсэлт, хариу',
  },
  en: {
    poll: 'Asks for the result itself (poll)',
    ping: 'Is told that the result is there (ping)',
    web: 'Web application (web)',
    native: 'App on a device (native)',
    standard: 'Standard',
    fapi2: 'FAPI 2.0',
    fapi2_message_signing: 'FAPI 2.0 Message Signing',
  },
});
