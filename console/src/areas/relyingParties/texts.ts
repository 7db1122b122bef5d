import { defineTexts } from '../../shared/texts.ts';

export const texts = defineTexts('relyingParties', {
  mn: {
    nav: 'Итгэгч талууд',
    lead: 'Нэвтрэлт, гарын үсгийг захиалдаг системүүд',
    search: 'Нэрээр хайх',
    name: 'Нэр',
    permissions: 'Зөвшөөрөл',
    callbackHosts: 'Буцах хост',
    state: 'Төлөв',
    active: 'Идэвхтэй',
    inactive: 'Идэвхгүй',
    registeredAt: 'Бүртгэсэн',
    id: 'Дугаар',
    settings: 'Тохиргоо',
    deactivate: 'Идэвхгүй болгох',
    deactivateLead: 'Нууц түлхүүр нь ажиллахаа больж, нэвтрэлт, гарын үсэг захиалж чадахгүй болно.',
    deactivated: 'Идэвхгүй болголоо.',
  },
  en: {
    nav: 'Relying parties',
    lead: 'Systems that ask for logins and signatures',
    search: 'Search by name',
    name: 'Name',
    permissions: 'Permissions',
    callbackHosts: 'Callback hosts',
    state: 'State',
    active: 'Active',
    inactive: 'Inactive',
    registeredAt: 'Registered',
    id: 'Id',
    settings: 'Settings',
    deactivate: 'Deactivate',
    deactivateLead:
      'Its secret opens nothing any more: it can ask for neither logins nor signatures.',
    deactivated: 'It is deactivated.',
  },
});
