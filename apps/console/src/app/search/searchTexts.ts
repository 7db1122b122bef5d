import { defineTexts } from '../../shared/texts.ts';

export const searchTexts = defineTexts({
  common: { actions: 'actions', close: 'close' },
  mn: {
    title: 'Бүгдээс хайх',
    placeholder: 'Хүн, утас, гэрчилгээ, сесс, байгууллага, хуудас, үйлдэл',
    found: 'Олдсон зүйлс',
    pages: 'Консолын хуудас',
    nothing: 'Тохирох зүйл олдсонгүй.',
    searching: 'Хайж байна…',
  },
  en: {
    title: 'Search everything',
    placeholder: 'People, phones, certificates, sessions, organizations, pages, commands',
    found: 'Found',
    pages: 'Pages of the console',
    nothing: 'Nothing matches.',
    searching: 'Searching…',
  },
});
