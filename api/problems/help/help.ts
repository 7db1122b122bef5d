/** A text in both languages of the platform. */
export interface Bilingual {
  readonly en: string;
  readonly mn: string;
}

/** Texts of the page of a problem beside the table of problems, which has its English title and meaning. */
export interface Help {
  /** Remedy, for the caller's developer. */
  readonly todo: Bilingual;
  /** Title and meaning in Mongolian. */
  readonly mn: { readonly title: string; readonly means: string };
  /** Sentence for the person in front of the screen. */
  readonly show: Bilingual;
}

/** Entry of a table of help. @param todo English remedy */
export function help(
  show: Bilingual,
  todo: string,
  { title, means, todo: remedy }: Help['mn'] & { readonly todo: string },
): Help {
  return { todo: { en: todo, mn: remedy }, mn: { title, means }, show };
}

/** A text in both languages. */
export const both = (en: string, mn: string): Bilingual => ({ en, mn });

/** Sentences that fit several problems. */
export const shows = {
  /** A fault of the calling program: nobody in front of it can mend it. */
  ourFault: both(
    'Something went wrong in this service. Please try again later.',
    'Энэ үйлчилгээнд алдаа гарлаа. Та дараа дахин оролдоно уу.',
  ),
  busy: both(
    'The service is busy. Please wait a moment and try again.',
    'Үйлчилгээ ачаалалтай байна. Та түр хүлээгээд дахин оролдоно уу.',
  ),
  tooMany: both(
    'Too many attempts. Please wait and try again later.',
    'Хэт олон оролдлого хийлээ. Та түр хүлээгээд дахин оролдоно уу.',
  ),
  beginAgain: both(
    'The time is over. Please begin again.',
    'Хугацаа дууслаа. Та шинээр эхлүүлнэ үү.',
  ),
  notPermitted: both(
    'You are not permitted to do this.',
    'Танд энэ үйлдлийг хийх эрх байхгүй байна.',
  ),
  notAccepted: both(
    'The answer of your phone was not accepted. Please try again.',
    'Таны утасны хариуг хүлээж авсангүй. Та дахин оролдоно уу.',
  ),
  cannotRepresent: both(
    'You cannot act for this organization at the moment. An administrator of the organization can give you the right.',
    'Та одоогоор энэ байгууллагыг төлөөлөх боломжгүй байна. Байгууллагын администратор танд эрх олгож болно.',
  ),
  otherFile: both(
    'This file cannot be signed. Please choose another PDF.',
    'Энэ файлд гарын үсэг зурах боломжгүй байна. Та өөр PDF сонгоно уу.',
  ),
  goneOrMistyped: both(
    'This was not found. Please look for it in the list again.',
    'Хайсан зүйл олдсонгүй. Та жагсаалтаас дахин хайна уу.',
  ),
} as const;
