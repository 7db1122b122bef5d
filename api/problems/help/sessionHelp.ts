import { both, help, shows } from './help.ts';

const noPhone = both(
  'No phone that can answer was found. Please check the number, or set up the app.',
  'Хариулах боломжтой утас олдсонгүй. Та дугаараа шалгах, эсвэл аппликейшнээ тохируулна уу.',
);

/** Help on problems of sessions, phones and signed files, as relying parties and phones meet them. */
export const sessionHelp = {
  PERSON_NOT_FOUND: help(
    both(
      'Nobody with an electronic identity has this number. Please check it.',
      'Энэ дугаартай цахим таниулбартай хүн олдсонгүй. Та дугаараа шалгана уу.',
    ),
    'Check the identifier: `PNOMN-` and twelve digits. The person may have no phone with the app yet.',
    {
      title: 'Хүн олдсонгүй',
      means: 'Энэ дугаартай бүртгүүлсэн хүн байхгүй.',
      todo: 'Дугаараа шалгана уу: `PNOMN-` ба арван хоёр орон. Уг хүн аппликейшн хараахан тохируулаагүй байж болно.',
    },
  ),
  DOCUMENT_NOT_FOUND: help(
    noPhone,
    'Address the person instead of a phone: `etsi/PNOMN-…`. A document number ends with its phone.',
    {
      title: 'Төхөөрөмж олдсонгүй',
      means: 'Энэ баримтын дугаартай төхөөрөмж байхгүй.',
      todo: 'Утасны оронд хүнд хандана уу: `etsi/PNOMN-…`. Баримтын дугаар утастайгаа хамт идэвхгүй болно.',
    },
  ),
  NO_SUITABLE_CERTIFICATE: help(
    both(
      'You have no valid certificate for this. Please set up the app again, or ask the help desk.',
      'Танд үүнд тохирох хүчинтэй гэрчилгээ байхгүй байна. Та аппликейшнээ дахин тохируулах, эсвэл тусламжийн төвд хандана уу.',
    ),
    'Ask for a lower `certificateLevel` only where your rules allow it. Otherwise the citizen has to enrol a phone again.',
    {
      title: 'Тохирох гэрчилгээ алга',
      means: 'Хүссэн түвшний хүчинтэй гэрчилгээ байхгүй.',
      todo: 'Дүрэм тань зөвшөөрвөл л доогуур `certificateLevel` хүснэ үү. Эс бөгөөс иргэн утсаа дахин бүртгүүлнэ.',
    },
  ),
  SESSION_NOT_FOUND: help(
    shows.beginAgain,
    'Keep the `sessionID` as you received it, and poll in time: ended sessions are forgotten after a few minutes. Sessions of other relying parties are not found either.',
    {
      title: 'Сесс олдсонгүй',
      means: 'Ийм сесс байхгүй, эсвэл хугацаа нь дууссан.',
      todo: '`sessionID`-г өөрчлөлгүй хадгалж, цагт нь асууна уу. Бусдын сесс мөн олдохгүй.',
    },
  ),
  SESSION_NOT_COMPLETE: help(
    both('Please confirm on your phone first.', 'Та эхлээд утсан дээрээ баталгаажуулна уу.'),
    'Poll the session until it is `COMPLETE` with `OK`, then ask again.',
    {
      title: 'Сесс дуусаагүй',
      means: 'Иргэн хараахан хариулаагүй байна.',
      todo: 'Сесс `COMPLETE`, `OK` болтол асууж байгаад дахин хүснэ үү.',
    },
  ),
  SESSION_ALREADY_COMPLETE: help(
    both('This request was answered already.', 'Энэ хүсэлтэд аль хэдийн хариулсан байна.'),
    'Nothing: the first answer counts. Read the session to see it.',
    {
      title: 'Сесс дууссан',
      means: 'Энэ сесс аль хэдийн үр дүнтэй болсон.',
      todo: 'Юу ч хийх шаардлагагүй: эхний хариу хүчинтэй.',
    },
  ),
  SESSION_ALREADY_CLAIMED: help(
    both(
      'Another phone has taken this request. Please continue there, or start again.',
      'Энэ хүсэлтийг өөр утас авсан байна. Та тэр утсан дээр үргэлжлүүлэх, эсвэл шинээр эхлүүлнэ үү.',
    ),
    'Start another session when the citizen wants to use this phone.',
    {
      title: 'Сессийг авсан',
      means: 'Энэ сессийг өөр утас аль хэдийн авсан.',
      todo: 'Иргэн энэ утсыг ашиглах бол шинэ сесс эхлүүлнэ үү.',
    },
  ),
  SESSION_EXPIRED: help(shows.beginAgain, 'Start another session, when the citizen asks for it.', {
    title: 'Сессийн хугацаа дууссан',
    means: 'Энэ сесст хариулах хугацаа дууссан.',
    todo: 'Иргэн хүсвэл шинэ сесс эхлүүлнэ үү.',
  }),
  DEVICE_LINK_INVALID: help(
    both(
      'This code does not belong to this request. Scan only codes of services you know.',
      'Энэ код энэ хүсэлтийнх биш байна. Та зөвхөн таних үйлчилгээнийхээ кодыг уншуулна уу.',
    ),
    'Build the link with the client library, or compare `authCode` and its eight fields with the vectors of the protocol.',
    {
      title: 'Холбоос буруу',
      means: 'Холбоос нь 1.0 хувилбарын гарын үсэгтэй холбоос биш, эсвэл энэ сессийнх биш.',
      todo: 'Холбоосыг клиент сангаар үүсгэх, эсвэл `authCode`-ыг протоколын жишээтэй тулгана уу.',
    },
  ),
  DEVICE_LINK_EXPIRED: help(
    both(
      'This code has expired. Scan the one shown now.',
      'Энэ код хуучирсан байна. Та одоо харагдаж буй кодыг уншуулна уу.',
    ),
    'Redraw the QR code every second, with its `elapsedSeconds`; the library’s browser entry point does this.',
    {
      title: 'Холбоос хуучирсан',
      means: 'QR холбоосыг 20 секундийн дотор ашиглана.',
      todo: 'QR кодыг `elapsedSeconds`-ийн хамт секунд тутам шинээр зурна уу.',
    },
  ),
  SIGNATURE_INVALID: help(
    shows.notAccepted,
    'An app signs exactly the payload of the session with the certified key; compare protocol, hash and encoding.',
    {
      title: 'Гарын үсэг буруу',
      means: 'Гарын үсэг гэрчилгээтэй түлхүүрээр баталгаажихгүй байна.',
      todo: 'Аппликейшн яг сессийн өгөгдөлд, гэрчилгээтэй түлхүүрээр гарын үсэг зурна; протокол, хэш, кодчиллоо шалгана уу.',
    },
  ),
  DEVICE_PROOF_INVALID: help(
    both(
      'Your phone was not recognized. Please check its clock and try again.',
      'Таны утсыг таньсангүй. Та утасныхаа цагийг шалгаад дахин оролдоно уу.',
    ),
    'Make a proof for this method and address with the transport key, and a clock that is right.',
    {
      title: 'Төхөөрөмжийн баталгаа буруу',
      means: 'Төхөөрөмжийн түлхүүрийн баталгаа байхгүй, буруу, эсвэл хуучирсан.',
      todo: 'Яг энэ арга, хаягт зориулж, зөв цагтай баталгаа үүсгэнэ үү.',
    },
  ),
  DEVICE_PROOF_REPLAYED: help(
    shows.notAccepted,
    'Make a new proof, with a new `jti`, for every request, retries included.',
    {
      title: 'Баталгааг дахин ашигласан',
      means: 'Энэ баталгааг өмнө ашигласан байна.',
      todo: 'Хүсэлт бүрд, давталтад ч, шинэ `jti`-тай баталгаа үүсгэнэ үү.',
    },
  ),
  DEVICE_NOT_ACTIVE: help(
    both(
      'This phone is no longer active. Please set up the app again.',
      'Энэ утас идэвхгүй болсон байна. Та аппликейшнээ дахин тохируулна уу.',
    ),
    'Show how to enrol again; the keys of this phone can no longer be used.',
    {
      title: 'Төхөөрөмж идэвхгүй',
      means: 'Энэ төхөөрөмжийг идэвхгүй болгосон.',
      todo: 'Дахин бүртгүүлэх замыг харуулна уу; энэ утасны түлхүүр дахин ашиглагдахгүй.',
    },
  ),
  DIGEST_MISMATCH: help(
    both(
      'This is not the file that was signed. Please choose that one.',
      'Энэ нь гарын үсэг зурсан файл биш байна. Та тухайн файлыг сонгоно уу.',
    ),
    'Send exactly the bytes whose digest was signed: do not open and save the file in between.',
    {
      title: 'Хураангуй зөрсөн',
      means: 'Агуулгын хураангуй нь гарын үсэг зурсан хураангуй биш байна.',
      todo: 'Хураангуйг нь авсан яг тэр байтуудыг илгээнэ үү: файлыг дундуур нь нээж хадгалж болохгүй.',
    },
  ),
  NOT_A_PDF: help(shows.otherFile, 'Send the bytes of the file itself, not a form or Base64.', {
    title: 'PDF биш',
    means: 'PDF файл `%PDF-` гэж эхэлдэг.',
    todo: 'Маягт, Base64 биш, файлын байтуудыг шууд илгээнэ үү.',
  }),
  PDF_ENCRYPTED: help(shows.otherFile, 'Save the PDF without a password and prepare it again.', {
    title: 'PDF шифрлэгдсэн',
    means: 'PDF файл шифрлэгдсэн байна.',
    todo: 'PDF-ийг нууц үггүйгээр хадгалаад дахин бэлтгэнэ үү.',
  }),
  PDF_DAMAGED: help(shows.otherFile, 'Get the file once more; print it to PDF if it stays so.', {
    title: 'PDF гэмтсэн',
    means: 'PDF файл тасарсан, эсвэл бүтэц нь эвдэрсэн.',
    todo: 'Файлыг дахин авна уу; хэвээр бол PDF болгож хэвлэнэ үү.',
  }),
  PDF_LOCKED: help(shows.otherFile, 'Sign a copy from before the signature that locked it.', {
    title: 'PDF түгжигдсэн',
    means: 'PDF дэх гарын үсэг цаашдын өөрчлөлтийг хориглодог.',
    todo: 'Түгжсэн гарын үсгээс өмнөх хувьд гарын үсэг зуруулна уу.',
  }),
  PDF_NOT_SUPPORTED: help(shows.otherFile, 'Flatten the form, or print the document to PDF.', {
    title: 'PDF дэмжигдэхгүй',
    means: 'PDF файл XFA маягт зэрэг дэмжигдэхгүй боломж ашигласан.',
    todo: 'Маягтыг энгийн болгох, эсвэл баримтыг PDF болгож хэвлэнэ үү.',
  }),
  PREPARED_DOCUMENT_NOT_FOUND: help(
    shows.beginAgain,
    'Prepare the document again and have it signed within the time of a session.',
    {
      title: 'Бэлтгэсэн баримт олдсонгүй',
      means: 'Таны бэлтгэсэн, энэ гарын үсгийг хүлээж буй баримт байхгүй.',
      todo: 'Баримтыг дахин бэлтгэж, сессийн хугацаанд гарын үсэг зуруулна уу.',
    },
  ),
  PREPARED_FOR_OTHER_SIGNER: help(
    both(
      'The person who signed is not the one the document was made for.',
      'Баримтыг зориулснаас өөр хүн гарын үсэг зурсан байна.',
    ),
    'Prepare the document with the certificate of the person who signs.',
    {
      title: 'Өөр хүнд бэлтгэсэн',
      means: 'Баримтыг гарын үсэг зурснаас өөр гэрчилгээнд зориулж бэлтгэсэн.',
      todo: 'Гарын үсэг зурах хүний гэрчилгээгээр баримтыг бэлтгэнэ үү.',
    },
  ),
  ORG_NOT_ACTIVE: help(
    both(
      'Nobody can act for this organization at the moment.',
      'Одоогоор энэ байгууллагын нэрийн өмнөөс үйлдэл хийх боломжгүй.',
    ),
    'Ask the operator: the organization is not verified yet, suspended or ended.',
    {
      title: 'Байгууллага идэвхгүй',
      means: 'Байгууллага идэвхтэй төлөвт байхгүй.',
      todo: 'Операторт хандана уу: байгууллага баталгаажаагүй, түр зогссон, эсвэл цуцлагдсан байна.',
    },
  ),
  SEAL_NOT_ALLOWED: help(
    shows.ourFault,
    'Have the operator allow your relying party to seal for this organization.',
    {
      title: 'Тамга дарах эрхгүй',
      means: 'Энэ хүсэлт гаргагч уг байгууллагын цахим тамгыг ашиглах эрхгүй.',
      todo: 'Операторт хандаж, энэ байгууллагад тамга дарах эрх авна уу.',
    },
  ),
  ORG_NOT_FOUND: help(
    both(
      'There is no such organization. Please check the number.',
      'Ийм байгууллага олдсонгүй. Та дугаараа шалгана уу.',
    ),
    'Check the register number, `NTRMN-` before it, and that the organization is registered here.',
    {
      title: 'Байгууллага олдсонгүй',
      means: 'Ийм байгууллага байхгүй.',
      todo: 'Регистрийн дугаар, `NTRMN-` угтвар, байгууллага бүртгэлтэй эсэхийг шалгана уу.',
    },
  ),
} as const;
