import type { Language } from '../verify/texts.ts';

/** Texts of the page that hands a secret over. */
export const handOverTexts = {
  mn: {
    title: 'Нууц түлхүүр хүлээн авах',
    lead: 'Товчийг дарсан эхний хүнд шинэ нууц түлхүүр ганц удаа харагдана. Өмнөх түлхүүр тэр мөчид хүчингүй болно.',
    advice: 'Хадгалах газраа бэлдсэний дараа дарна уу.',
    show: 'Нууц түлхүүрийг харуулах',
    shown: 'Энэ нь дахин харагдахгүй. Нууцыг хадгалах санд хийгээд хуудсыг хаана уу.',
    variables: 'Програмын тохиргоо',
    copy: 'Хуулах',
    copied: 'Хууллаа',
    gone: 'Энэ холбоосыг ашигласан, өөр холбоосоор сольсон эсвэл хугацаа нь дууссан байна. Шинэ холбоос хүснэ үү. Та нээгээгүй бол операторт даруй мэдэгдэнэ үү: түлхүүр өөр хүнд очсон байж болно.',
    trouble:
      'Үйлчилгээ хариу өгсөнгүй. Дахин оролдоно уу: холбоос ашиглагдаагүй бол хэвээр үйлчилнэ.',
    incomplete: 'Холбоос дутуу байна. Бүтнээр нь хуулж нээнэ үү.',
  },
  en: {
    title: 'Receive a secret',
    lead: 'The first person to press the button sees the new secret, once. The previous secret stops working at that moment.',
    advice: 'Press it once you have somewhere to store the secret.',
    show: 'Show the secret',
    shown: 'It will not be shown again. Save it in your secret store, then close this page.',
    variables: "Your program's settings",
    copy: 'Copy',
    copied: 'Copied',
    gone: 'This link was already used, was replaced by another one, or has expired. Ask for a new one. If you did not use it, tell the operator at once: somebody else may have the secret.',
    trouble: 'The service did not answer. Try again: the link still works unless it was used.',
    incomplete: 'The link is incomplete. Copy the whole link.',
  },
} as const satisfies Record<Language, Readonly<Record<string, string>>>;
