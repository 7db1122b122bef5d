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
    passwordLead: 'This ends your sessions on other devices.',
    changed: 'The password was changed.',
    secondFactorLead:
      'If you lose your phone, ask an operator who manages operators to reset your authenticator. You connect a new one at your next sign-in.',
    noSession: 'The open development profile has no password and no authenticator.',
  },
});
