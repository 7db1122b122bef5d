import { defineTexts } from '../../shared/texts.ts';

export const texts = defineTexts('home', {
  mn: { nav: 'Хяналтын самбар', lead: 'Өнөөдрийн байдал' },
  en: { nav: 'Dashboard', lead: 'How things are today' },
});
