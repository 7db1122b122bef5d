import { defineTexts } from '../../shared/texts.ts';

export const texts = defineTexts({
  common: { email: 'email', role: 'role', secondFactor: 'authenticator' },
  mn: {
    title: 'Миний бүртгэл',
    about: 'Хэн болох',
    id: 'Дугаар',
    expires: 'Нэвтрэлт дуусах',
    capabilities: 'Танд зөвшөөрсөн үйлдлүүд',
    password: 'Нууц үг солих',
    passwordLead: 'Солиход бусад төхөөрөмж дээрх нэвтрэлт тань гарна.',
    changed: 'Нууц үгийг солилоо.',
    secondFactorLead:
      'Утас алдсан бол операторуудыг удирдах эрхтэй оператор баталгаажуулагчийг тань шинэчилнэ; дараагийн нэвтрэлтээр шинээр холбоно.',
    noSession: 'Хөгжүүлэлтийн нээлттэй горимд нууц үг, баталгаажуулагч байхгүй.',
  },
  en: {
    title: 'My account',
    about: 'Who you are',
    id: 'Id',
    expires: 'Session ends',
    capabilities: 'What you may do',
    password: 'Change the password',
    passwordLead: 'Your sessions on other devices end with it.',
    changed: 'The password is changed.',
    secondFactorLead:
      'If you lose your phone, an operator who may manage operators resets your authenticator; the next sign-in connects a new one.',
    noSession: 'The open development profile has neither password nor authenticator.',
  },
});
