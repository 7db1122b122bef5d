import { defineTexts } from '../../shared/texts.ts';

export const requestTexts = defineTexts({
  common: { at: 'when', requestId: 'requestId' },
  mn: {
    use: 'Ашиглалт',
    lastCall: 'Сүүлийн хүсэлт',
    acceptedIn: 'Сүүлийн {{days}} өдөрт хүлээж авсан',
    refusedIn: 'Сүүлийн {{days}} өдөрт татгалзсан',
    operation: 'Үйлдэл (API)',
    accepted: 'Хүлээж авсан',
    refusals: 'Татгалзсан',
    last: 'Сүүлд',
    refused: 'Татгалзсан сүүлийн хүсэлтүүд',
    refusedLead:
      'Хөгжүүлэгчийн асуух зүйл: хүсэлт бүр ямар алдаа авсан бэ. Сүүлийн {{days}} өдрийн хамгийн шинэ 100 хүсэлт, хувийн мэдээлэлгүй. Нууц түлхүүр нь буруу хүсэлт хэнийх болох нь мэдэгдэхгүй тул энд орохгүй.',
    noneRefused: 'Татгалзсан хүсэлт алга.',
    problem: 'Алдаа',
    faults: 'Буруу талбар',
    otherRule: 'хэлбэр нь буруу',
  },
  en: {
    use: 'Use',
    lastCall: 'Last request',
    acceptedIn: 'Accepted in the last {{days}} days',
    refusedIn: 'Refused in the last {{days}} days',
    operation: 'Operation (API)',
    accepted: 'Accepted',
    refusals: 'Refused',
    last: 'Last',
    refused: 'Last refused requests',
    refusedLead:
      'What went wrong with each request, for the relying party’s developer: the newest 100 of the last {{days}} days, without personal data. Requests with a wrong secret are missing, because they cannot be attributed.',
    noneRefused: 'No request was refused.',
    problem: 'Problem',
    faults: 'Faulty fields',
    otherRule: 'has a wrong form',
  },
});

/** Rules that a field can break (api/http/handling.ts). */
export const ruleWords = defineTexts({
  mn: {
    required: 'заавал хэрэгтэй',
    max: 'хэт урт буюу их',
    min: 'хэт богино буюу бага',
    oneof: 'зөвшөөрсөн утга биш',
    type: 'өөр төрлийн утга',
    unknown: 'танигдаагүй талбар',
    base64: 'стандарт base64 биш',
    uuid: 'UUID биш',
  },
  en: {
    required: 'is required',
    max: 'is too long or too large',
    min: 'is too short or too small',
    oneof: 'is none of the allowed values',
    type: 'is of another type',
    unknown: 'has unknown fields',
    base64: 'is not standard base64',
    uuid: 'is no UUID',
  },
});
