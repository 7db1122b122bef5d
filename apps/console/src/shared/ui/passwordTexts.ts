import { defineTexts } from '../texts.ts';

export const passwordTexts = defineTexts({
  mn: {
    current: 'Одоогийн нууц үг',
    next: 'Шинэ нууц үг',
    again: 'Шинэ нууц үг, дахин',
    tooShort: 'Дор хаяж {{count}} тэмдэгт',
    differ: 'Хоёр нууц үг өөр байна',
    same: 'Шинэ нууц үг өмнөхөөс өөр байх ёстой',
    change: 'Солих',
  },
  en: {
    current: 'Current password',
    next: 'New password',
    again: 'New password again',
    tooShort: 'At least {{count}} characters',
    differ: 'The two passwords differ',
    same: 'The new password must differ from the current one',
    change: 'Change',
  },
});
