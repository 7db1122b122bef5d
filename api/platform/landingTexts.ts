import { common } from '../pages/commonWords.ts';
import type { Language } from '../verify/texts.ts';

const en = {
  title: (version: string) => `National electronic identity platform, version ${version}.`,
  places: {
    documentation: {
      name: 'Documentation',
      about: 'Tutorials, reference, and a page for every error.',
    },
    demoBank: { name: 'Demo Bank', about: 'A relying party to try: log in, sign, verify.' },
    phone: { name: 'Phone', about: 'A citizen’s phone in the browser, to try things out.' },
    ownPage: {
      name: common.en.myPage,
      about: 'Your phones, rights and history, after a login by phone.',
    },
    console: { name: 'Console', about: 'For operators, approvers and auditors.' },
    health: { name: 'Health', about: 'What works and what does not.' },
    verify: { name: 'Verify', about: 'Who signed a document, when, and whether it is valid.' },
    api: { name: 'API', about: 'A description of every operation, in OpenAPI 3.1.' },
    discovery: {
      name: 'Discovery',
      about: 'Addresses, certificates and limits, for relying parties.',
    },
    openId: { name: 'OpenID Connect', about: 'Discovery document of the OpenID provider.' },
  },
};

const mn: typeof en = {
  title: (version) => `Үндэсний цахим таниулалтын платформ, хувилбар ${version}.`,
  places: {
    documentation: { name: 'Баримтжуулалт', about: 'Заавар, лавлах, алдаа бүрийн тайлбар.' },
    demoBank: {
      name: 'Demo Bank',
      about: 'Туршиж үзэх итгэгч тал: нэвтрэх, гарын үсэг зурах, шалгах.',
    },
    phone: { name: 'Утас', about: 'Иргэний утсыг хөтөч дээр туршиж үзэх.' },
    ownPage: {
      name: common.mn.myPage,
      about: 'Таны утас, эрх, түүх. Утсаараа нэвтэрсний дараа харагдана.',
    },
    console: { name: 'Консол', about: 'Оператор, зөвшөөрөгч, аудиторт зориулав.' },
    health: { name: 'Төлөв', about: 'Юу ажиллаж, юу ажиллахгүй байна.' },
    verify: {
      name: 'Гарын үсэг шалгах',
      about: 'Баримтад хэн, хэзээ гарын үсэг зурсан, хүчинтэй эсэх.',
    },
    api: { name: 'API', about: 'Үйлдэл бүрийн тодорхойлолт, OpenAPI 3.1.' },
    discovery: { name: 'Холболтын мэдээлэл', about: 'Итгэгч талд: хаяг, гэрчилгээ, хязгаар.' },
    openId: { name: 'OpenID Connect', about: 'OpenID үйлчилгээний холболтын мэдээлэл.' },
  },
};

/** Places the landing page leads to. */
export type LandingPlace = keyof typeof en.places;

export const landingTexts: Readonly<Record<Language, typeof en>> = { mn, en };
