import { defineTexts } from '../../shared/texts.ts';
import { nav } from './nav.ts';

export const texts = defineTexts({
  common: {
    documentNumber: 'documentNumber',
    state: 'state',
    deactivate: 'deactivate',
    certificates: 'certificates',
    title: 'device',
    owner: 'owner',
    platform: 'kind',
    noPins: 'none',
    enrolledAt: 'enrolled',
  },
  mn: {
    ...nav.mn,
    lead: 'Иргэдийн утас: тус бүрдээ хоёр түлхүүр, хоёр гэрчилгээтэй',
    search: 'Төхөөрөмж хайх',
    hint: 'Төхөөрөмжийн дугаар, эзэмшигчийн регистрийн дугаар, иргэний дугаар, PNOMN-… эсвэл нэр',
    about: 'Мэдээлэл',
    push: 'Мэдэгдэл',
    pushYes: 'Хүрнэ',
    pushNo: 'Хүрэхгүй: утас өөрөө асууна',
    lockedPins: 'Түгжигдсэн ПИН',
    deactivatedAt: 'Идэвхгүй болсон',
    deactivateLead:
      'Утас нэвтрэлт, гарын үсэг баталгаажуулах боломжгүй болж, хоёр гэрчилгээ нь хүчингүй болно. Буцаах боломжгүй: иргэн утсаа дахин бүртгүүлнэ.',
    deactivated: 'Төхөөрөмжийг идэвхгүй болголоо.',
  },
  en: {
    ...nav.en,
    lead: "Citizens' phones, each with two keys and two certificates",
    search: 'Find a device',
    hint: "Document number, or its owner's registration number, civil id, PNOMN-… or name",
    about: 'About',
    push: 'Notifications',
    pushYes: 'Reach it',
    pushNo: 'Pushes do not reach it: the phone polls instead',
    lockedPins: 'Locked PINs',
    deactivatedAt: 'Deactivated',
    deactivateLead:
      'The phone can no longer confirm logins or signatures, and both of its certificates are revoked. This cannot be undone: the citizen must enrol the phone again.',
    deactivated: 'The device was deactivated.',
  },
});
