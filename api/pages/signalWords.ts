import type { RiskSignal } from '../../domain/session/riskSignals.ts';
import type { Language } from './texts.ts';

/** Words for the signals of a phone: on the phone that is asked for them, and in its citizen's history. */
export const signalWords: Readonly<Record<Language, Readonly<Record<RiskSignal, string>>>> = {
  mn: {
    platform: 'утасны төрөл',
    osVersion: 'системийн хувилбар',
    appVersion: 'аппликейшний хувилбар',
    attested: 'үйлдвэрлэгч нь баталсан эсэх',
    screenLock: 'дэлгэцийн түгжээтэй эсэх',
    rooted: 'хамгаалалтыг нь тайлсан эсэх',
    emulator: 'жинхэнэ утас эсэх',
  },
  en: {
    platform: 'kind of phone',
    osVersion: 'version of its system',
    appVersion: 'version of the app',
    attested: 'whether its maker vouches for it',
    screenLock: 'whether it has a screen lock',
    rooted: 'whether its protections are off',
    emulator: 'whether it is a simulated one',
  },
};

/** The question for a citizen's consent. */
export const signalQuestion: Readonly<
  Record<
    Language,
    {
      readonly title: string;
      /** Of those that are only asked for, beside a switch. */
      readonly wanted: (list: string) => string;
      readonly required: (list: string) => string;
    }
  >
> = {
  mn: {
    title: 'Утасны мэдээлэл',
    wanted: (list) => `Энэ утасны талаар мэдэгдэхийг зөвшөөрнө: ${list}`,
    required: (list) => `Баталгаажуулбал энэ утасны талаар мэдэгдэнэ: ${list}`,
  },
  en: {
    title: 'About this phone',
    wanted: (list) => `I agree to tell: ${list}`,
    required: (list) => `Confirming tells: ${list}`,
  },
};
